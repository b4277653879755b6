//! What a warp needs from outside itself.

use super::activation::source;
use super::block::{BlockState, Cluster};
use super::launches::Launches;
use super::progress::Progress;
use super::schedule::Schedule;
use super::split::Split;
use super::warp::Warp;
use std::cell::RefCell;

use crate::arith::Lanes;
use crate::decode::{Function, Inst, Program, Reg};
use crate::device::DeviceProperties;
use crate::diagnostic::Diagnostic;
use crate::explore::{Process, Turns};
use crate::memory::Memory;
use crate::memory::shared::Layout;
use crate::observe::{Act, Actor, Event, Watch};

pub struct Context<'e> {
    pub device: &'e DeviceProperties,
    pub program: &'e Program,
    pub memory: &'e mut Memory,
    pub observer: &'e mut dyn Watch,
    /// Whether it checks.
    pub checks: bool,
    /// Addresses of the module's variables.
    pub globals: &'e [u64],
    pub params: &'e [u8],
    pub block: &'e mut BlockState,
    /// The block's cluster, if it is in one.
    pub cluster: Option<&'e mut Cluster>,
    /// Where the variables lie in the block's shared memory.
    pub shared: Layout<'e>,
    pub kernel: &'e str,
    pub grid: u32,
    pub block_dim: [u32; 3],
    pub launches: &'e mut Launches,
    pub printed: &'e mut String,
    pub progress: &'e mut Progress,
    pub schedule: &'e mut Schedule,
    /// Who has a turn at each operation whose order matters, where that is chosen.
    pub turns: Option<&'e RefCell<Turns>>,
}

pub type Executed<T> = Result<T, Box<Diagnostic>>;

/// Lanes of a split, and the instruction that they execute.
#[derive(Clone, Copy)]
pub struct At<'e> {
    pub inst: &'e Inst,
    pub function: &'e Function,
    /// The activation.
    pub slot: u32,
    pub mask: u32,
}

impl At<'_> {
    /// One of the lanes.
    pub fn lane(self, lane: usize) -> Self {
        At { mask: 1 << lane, ..self }
    }

    /// The register, or the constant, that a number stands for.
    #[inline(always)]
    pub fn source<'a>(&'a self, warp: &'a Warp, register: Reg) -> &'a Lanes {
        source(&warp.activations[self.slot as usize], self.function, register)
    }
}

impl<'e> Context<'e> {
    /// Lanes of a warp as those that choose the order know them.
    pub fn process(&self, warp: &Warp, mask: u32) -> Process {
        let lane = mask.trailing_zeros();
        Process { grid: self.grid, block: self.block.linear, warp: warp.index, lane }
    }

    /// Tells the observers what lanes do.
    #[inline]
    pub fn act(&mut self, warp: &Warp, at: At, act: Act) {
        self.act_at(warp, at.inst.loc, act);
    }

    /// The same of lanes that have gone on since that line.
    #[inline]
    pub fn act_at(&mut self, warp: &Warp, loc: u32, act: Act) {
        let grid = self.grid;
        let block = self.block.linear;
        let actor = Actor { grid, block, warp: warp.index, loc, kernel: self.kernel };
        self.observer.event(&Event::By(actor, &act));
    }

    /// The lanes of a split, at the instruction where they stand.
    #[inline]
    pub fn at(&self, warp: &Warp, index: usize) -> At<'e> {
        self.at_split(warp, &warp.splits[index])
    }

    #[inline]
    pub fn at_split(&self, warp: &Warp, split: &Split) -> At<'e> {
        let Split { pc, activation: slot, mask, .. } = *split;
        let function = &self.program.functions[warp.activations[slot as usize].function];
        At { inst: &function.code[pc as usize], function, slot, mask }
    }
}
