//! A rung of the ladder: a variant, and how it comes from the partial sums of its blocks to one sum.

use anyhow::{Context, Result};
use workbook::chapter::Variant;

use super::RUNGS;
use super::choice::choice;

/// A rung of the ladder.
pub struct Rung {
    pub variant: Variant,
    pub finish: Finish,
    /// Whether one kernel of a small family is chosen for each size; `variant` names the family.
    is_chosen_by_size: bool,
}

/// How the partial sums of the blocks become one sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The kernel is launched again over them, until one is left.
    LaunchedAgain,
    /// The last block to arrive adds them up. The kernel takes scratch memory as its fourth argument.
    InOneLaunch,
}

impl Rung {
    pub const fn launched_again(variant: Variant) -> Rung {
        Rung { variant, finish: Finish::LaunchedAgain, is_chosen_by_size: false }
    }

    pub const fn in_one_launch(variant: Variant) -> Rung {
        Rung { variant, finish: Finish::InOneLaunch, is_chosen_by_size: false }
    }

    pub const fn chosen_by_size(variant: Variant) -> Rung {
        Rung { variant, finish: Finish::InOneLaunch, is_chosen_by_size: true }
    }

    /// The rung that a variant of this chapter is.
    pub fn of(variant: &Variant) -> Result<&'static Rung> {
        let mut rungs = RUNGS.iter();
        let rung = rungs.find(|rung| rung.variant.name == variant.name);
        rung.with_context(|| format!("{} is not a rung of the ladder", variant.name))
    }

    /// The kernel that it runs for `n` elements.
    pub fn kernel(&self, n: u64) -> &'static str {
        if self.is_chosen_by_size { choice(&self.variant.operation, n).kernel } else { self.variant.symbol }
    }
}
