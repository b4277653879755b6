//! What a warp needs from outside itself.

use super::block::BlockState;
use super::launches::Launches;
use super::progress::Progress;
use super::schedule::Schedule;
use super::warp::Warp;
use crate::decode::{Inst, Program};
use crate::device::DeviceProperties;
use crate::diagnostic::Diagnostic;
use crate::memory::Memory;
use crate::memory::shared::Layout;
use crate::observe::{Act, Actor, Event, Watch};

/// What a warp needs from outside itself.
pub struct Context<'e, O> {
    pub device: &'e DeviceProperties,
    pub program: &'e Program,
    pub memory: &'e mut Memory,
    pub observer: &'e mut O,
    /// Addresses of the module's variables.
    pub globals: &'e [u64],
    pub params: &'e [u8],
    pub block: &'e mut BlockState,
    /// Where the variables lie in the block's shared memory.
    pub shared: Layout<'e>,
    pub kernel: &'e str,
    pub grid: u32,
    pub block_dim: [u32; 3],
    pub launches: &'e mut Launches,
    pub printed: &'e mut String,
    /// Instructions that the whole launch may still execute.
    pub steps_left: &'e mut u64,
    pub progress: &'e mut Progress,
    pub schedule: &'e mut Schedule,
}

pub type Executed<T> = Result<T, Box<Diagnostic>>;

impl<'e, O: Watch> Context<'e, O> {
    /// Tells the observers what lanes do.
    #[inline]
    pub fn act(&mut self, actor: Actor, act: Act) {
        self.observer.event(&Event::By(actor, &act));
    }

    pub fn actor(&self, warp: &Warp, inst: &Inst) -> Actor<'e> {
        Actor {
            grid: self.grid,
            block: self.block.linear,
            warp: warp.index,
            loc: inst.loc,
            kernel: self.kernel,
        }
    }

    /// The lanes of a split, at the instruction where they stand.
    pub fn actor_of(&self, warp: &Warp, index: usize) -> Actor<'e> {
        let split = warp.splits[index];
        let function = &self.program.functions[warp.activations[split.activation as usize].function];
        self.actor(warp, &function.code[split.pc as usize])
    }
}
