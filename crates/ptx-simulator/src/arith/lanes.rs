//! The 32 lanes of a warp: one register of all of them, and loops over those of a mask.

use serde::{Deserialize, Serialize};

use super::exact::Exact;

/// Lanes of a warp.
pub const WARP: usize = 32;
/// One register of a warp.
pub type Lanes = [u64; WARP];
/// An order of the lanes of one instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LaneOrder {
    /// From the first one on.
    #[default]
    Forwards,
    /// From the last one on.
    Backwards,
    /// From the first one on, but this one comes last.
    Last(u32),
}

impl LaneOrder {
    pub(crate) fn are_forwards(&self) -> bool {
        *self == LaneOrder::Forwards
    }

    /// Which of `rest`, which is not empty, comes next.
    pub fn next(self, rest: u32) -> usize {
        let others = match self {
            LaneOrder::Last(lane) => rest & !(1 << (lane % WARP as u32)),
            _ => 0,
        };
        match self {
            LaneOrder::Backwards => WARP - 1 - rest.leading_zeros() as usize,
            _ if others != 0 => others.trailing_zeros() as usize,
            _ => rest.trailing_zeros() as usize,
        }
    }

    /// The lanes of `mask`, one after the other.
    pub fn of(self, mask: u32) -> impl Iterator<Item = usize> {
        let mut rest = mask;
        std::iter::from_fn(move || {
            let lane = (rest != 0).then(|| self.next(rest))?;
            rest &= !(1 << lane);
            Some(lane)
        })
    }
}

/// A computation from up to three sources: for one lane, and as a loop over those of a mask.
#[derive(Clone, Copy, Debug)]
pub struct AluFn {
    pub one: fn(u64, u64, u64) -> u64,
    pub all: fn(&mut Lanes, [&Lanes; 4], u32),
    /// Which of those it is that every loop is full of, if it is one.
    pub common: Option<Common>,
    /// What it does with an index, if that is known.
    pub exact: Option<Exact>,
}

/// Computations that the host's thread does without a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Common {
    Move,
    Add32,
    Add64,
    Sub64,
}

/// One from up to four sources, for one lane alone.
pub type LaneFn = fn([u64; 4]) -> u64;

/// Calls `f` with every lane of `mask`. The full mask gets its own loop, which the compiler can vectorise.
#[inline(always)]
pub fn each(mask: u32, mut f: impl FnMut(usize)) {
    if mask == u32::MAX {
        for lane in 0..WARP {
            f(lane);
        }
    } else {
        let mut rest = mask;
        while rest != 0 {
            f(rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}

/// Lanes of a mask, lowest first.
#[inline]
pub fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let lane = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        Some(lane)
    })
}

/// What stands at a place of a list that grows as far as it is used.
pub fn at<T: Default>(all: &mut Vec<T>, place: usize) -> &mut T {
    if all.len() <= place {
        all.resize_with(place + 1, T::default);
    }
    &mut all[place]
}

/// The lanes of `mask` for which `is` holds.
#[inline(always)]
pub fn which(mask: u32, mut is: impl FnMut(usize) -> bool) -> u32 {
    let mut out = 0;
    each(mask, |lane| out |= (is(lane) as u32) << lane);
    out
}

/// The lanes of `mask` in groups that have a key in common, that of the lowest lane first.
#[inline]
pub fn groups<K: PartialEq>(mask: u32, key: impl Fn(usize) -> K) -> impl Iterator<Item = (K, u32)> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let of = key(rest.trailing_zeros() as usize);
        let group = which(rest, |lane| key(lane) == of);
        rest &= !group;
        Some((of, group))
    })
}
