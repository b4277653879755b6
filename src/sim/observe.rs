//! What the simulator tells those who watch: the core executes, observers count and judge.

use super::LaunchConfig;
use super::alu::Lanes;
use super::program::{Order, Scope};
use super::ptx::Space;

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Load,
    Store,
    /// An atomic read-modify-write; whether its result is used.
    Atomic {
        returns: bool,
    },
}

/// Who does something, and where in the program.
#[derive(Clone, Copy, Debug)]
pub struct Actor<'a> {
    /// Number of the grid in this launch, 0 for the one the host launched.
    pub grid: u32,
    /// Linear number of the block in its grid, and of the warp in its block.
    pub block: u64,
    pub warp: u32,
    /// Index into the program's line table.
    pub loc: u32,
    pub kernel: &'a str,
}

/// One warp-level access to memory.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub access: Access,
    pub space: Space,
    /// The lanes that take part, and their addresses (within the space).
    pub mask: u32,
    pub addresses: &'a Lanes,
    /// Bytes a lane.
    pub bytes: u32,
    pub order: Order,
    pub scope: Scope,
}

/// A grid that starts.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// Number of the grid in this launch, 0 for the one the host launched, and of the grid that launched it.
    pub grid: u32,
    pub parent: Option<u32>,
    /// Device launches from the host's grid to this one.
    pub depth: u32,
    pub kernel: &'a str,
    pub config: &'a LaunchConfig,
}

/// Listens to an execution. Every method does nothing unless it is written.
pub trait Observer {
    fn grid(&mut self, start: Start) {
        let _ = start;
    }
    /// A warp executes an instruction with the lanes of `active`.
    fn instruction(&mut self, active: u32) {
        let _ = active;
    }
    /// The lanes of a warp go different ways.
    fn divergence(&mut self, actor: Actor) {
        let _ = actor;
    }
    fn request(&mut self, actor: Actor, request: &Request) {
        let _ = (actor, request);
    }
    /// Lanes of a warp arrive at a block barrier.
    fn barrier(&mut self, actor: Actor, mask: u32) {
        let _ = (actor, mask);
    }
    /// The lanes that arrived last must wait, because other threads of the block are missing.
    fn barrier_stall(&mut self, actor: Actor) {
        let _ = actor;
    }
    /// Lanes of a warp execute a memory fence.
    fn fence(&mut self, actor: Actor, mask: u32, scope: Scope) {
        let _ = (actor, mask, scope);
    }
    /// A thread launches a child grid; `dropped` if the device refuses.
    fn device_launch(&mut self, actor: Actor, dropped: bool) {
        let _ = (actor, dropped);
    }
}

/// Two observers listen to one execution.
impl<A: Observer, B: Observer> Observer for (A, B) {
    fn grid(&mut self, start: Start) {
        self.0.grid(start);
        self.1.grid(start);
    }
    fn instruction(&mut self, active: u32) {
        self.0.instruction(active);
        self.1.instruction(active);
    }
    fn divergence(&mut self, actor: Actor) {
        self.0.divergence(actor);
        self.1.divergence(actor);
    }
    fn request(&mut self, actor: Actor, request: &Request) {
        self.0.request(actor, request);
        self.1.request(actor, request);
    }
    fn barrier(&mut self, actor: Actor, mask: u32) {
        self.0.barrier(actor, mask);
        self.1.barrier(actor, mask);
    }
    fn barrier_stall(&mut self, actor: Actor) {
        self.0.barrier_stall(actor);
        self.1.barrier_stall(actor);
    }
    fn fence(&mut self, actor: Actor, mask: u32, scope: Scope) {
        self.0.fence(actor, mask, scope);
        self.1.fence(actor, mask, scope);
    }
    fn device_launch(&mut self, actor: Actor, dropped: bool) {
        self.0.device_launch(actor, dropped);
        self.1.device_launch(actor, dropped);
    }
}
