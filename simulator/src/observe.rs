//! What the simulator tells those who watch: the core executes, observers count and judge.

use crate::arith::Lanes;
use crate::device::LaunchConfig;
use crate::diagnostic::Diagnostic;
use crate::ptx::{Order, Scope, Space};

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
    /// Lanes of a store that write what is there already (known only under checks), and of an atomic that does not swap.
    pub unchanged: u32,
}

/// Asynchronous copies from global to shared memory by lanes of a warp.
#[derive(Clone, Copy, Debug)]
pub struct CopyRequest<'a> {
    pub mask: u32,
    pub to: &'a Lanes,
    pub from: &'a Lanes,
    /// Bytes a lane, and how many of them each takes from global memory.
    pub bytes: u32,
    pub given: &'a Lanes,
}

impl CopyRequest<'_> {
    /// One half of the copies, by the lanes of `mask`, as an access of so many bytes.
    pub fn side(&self, access: Access, space: Space, mask: u32, bytes: u32) -> Request<'_> {
        let addresses = if access == Access::Load { self.from } else { self.to };
        let (order, scope) = (Order::Weak, Scope::Gpu);
        Request { access, space, mask, addresses, bytes, order, scope, unchanged: 0 }
    }
}

/// How lanes use an mbarrier, by an atomic that arrives or a load that waits.
#[derive(Clone, Copy, Debug)]
pub struct MbarrierUse {
    /// Lanes that mean a phase of odd number.
    pub odd: u32,
    /// Lanes that have arrived; lanes whose phase is complete.
    pub done: u32,
}

/// What a grid has to wait for before it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// Nothing: the host launched it.
    Host,
    /// Its launch alone, which has this number.
    Launch { launch: u32 },
    /// Its launch, and the completion of the grid before it in its stream.
    Stream { launch: u32, previous: Option<u32> },
    /// The blocks of the parent, and all grids that the parent has launched so far.
    Parent,
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
    pub after: After,
}

/// A launch by device code.
#[derive(Clone, Copy, Debug)]
pub struct DeviceLaunch<'a> {
    /// Number of the launch, counted from 0 over all that were accepted.
    pub launch: u32,
    pub lane: usize,
    /// The error, if the device refuses.
    pub refused: Option<u32>,
    /// Launches that may be pending.
    pub limit: u64,
    /// The arguments as they lie in the parameter buffer.
    pub params: &'a [u8],
}

/// Which way lanes go at a branch around a barrier.
#[derive(Clone, Copy, Debug)]
pub struct Ways {
    /// Number of the branch among those of the program that have a barrier on one side only.
    pub watch: u32,
    pub taken: u32,
    pub rest: u32,
}

/// Listens to an execution. Every method does nothing unless it is written.
pub trait Observer {
    fn grid(&mut self, start: Start) {
        let _ = start;
    }
    /// The last thread of a block has exited.
    fn block_end(&mut self, grid: u32, block: u64) {
        let _ = (grid, block);
    }
    /// A warp executes an instruction with the lanes of `active`.
    fn instruction(&mut self, active: u32) {
        let _ = active;
    }
    /// The lanes of a warp go different ways.
    fn divergence(&mut self, actor: Actor) {
        let _ = actor;
    }
    /// Lanes come to a branch that has a barrier on one of its sides only.
    fn branch(&mut self, actor: Actor, ways: &Ways) {
        let _ = (actor, ways);
    }
    fn request(&mut self, actor: Actor, request: &Request) {
        let _ = (actor, request);
    }
    /// Lanes ask for copies, which are done later; or have waited for them, and they are done.
    fn copy_starts(&mut self, actor: Actor, request: &CopyRequest) {
        let _ = (actor, request);
    }
    fn copy_ends(&mut self, actor: Actor, request: &CopyRequest) {
        let _ = (actor, request);
    }
    /// Lanes arrive at an mbarrier, or wait for one.
    fn mbarrier(&mut self, actor: Actor, request: &Request, by: &MbarrierUse) {
        let _ = (actor, request, by);
    }
    /// Lanes come to a block barrier, or to a call of a function with one, that lies behind watched branches:
    /// their numbers, and whether on the taken side.
    fn barrier_site(&mut self, actor: Actor, mask: u32, sites: &[(u32, bool)]) {
        let _ = (actor, mask, sites);
    }
    /// Lanes of a warp arrive at block barrier `id`.
    fn barrier(&mut self, actor: Actor, mask: u32, id: u32) {
        let _ = (actor, mask, id);
    }
    /// A barrier of a block opens; all its threads that have not exited were there, or some.
    fn barrier_opens(&mut self, grid: u32, block: u64, id: u32, all: bool) {
        let _ = (grid, block, id, all);
    }
    /// Lanes of a warp have met at a warp barrier.
    fn warp_barrier(&mut self, actor: Actor, mask: u32) {
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
    /// A thread launches a child grid.
    fn device_launch(&mut self, actor: Actor, launch: &DeviceLaunch) {
        let _ = (actor, launch);
    }
    /// Lanes have waited for the children of their block.
    fn children_done(&mut self, actor: Actor, mask: u32) {
        let _ = (actor, mask);
    }
    /// Something is wrong that does not stop the launch.
    fn finding(&mut self, diagnostic: Diagnostic) {
        let _ = diagnostic;
    }
}

/// What a launch runs under: who is told all, and whether undefined values are followed through registers and memory.
/// There are two, so that the core is compiled twice and no more.
pub trait Watch: Observer {
    const CHECKS: bool;
}

/// Two observers listen to one execution.
impl<A: Observer, B: Observer> Observer for (A, B) {
    fn grid(&mut self, start: Start) {
        self.0.grid(start);
        self.1.grid(start);
    }
    fn block_end(&mut self, grid: u32, block: u64) {
        self.0.block_end(grid, block);
        self.1.block_end(grid, block);
    }
    fn instruction(&mut self, active: u32) {
        self.0.instruction(active);
        self.1.instruction(active);
    }
    fn divergence(&mut self, actor: Actor) {
        self.0.divergence(actor);
        self.1.divergence(actor);
    }
    fn branch(&mut self, actor: Actor, ways: &Ways) {
        self.0.branch(actor, ways);
        self.1.branch(actor, ways);
    }
    fn request(&mut self, actor: Actor, request: &Request) {
        self.0.request(actor, request);
        self.1.request(actor, request);
    }
    fn copy_starts(&mut self, actor: Actor, request: &CopyRequest) {
        self.0.copy_starts(actor, request);
        self.1.copy_starts(actor, request);
    }
    fn copy_ends(&mut self, actor: Actor, request: &CopyRequest) {
        self.0.copy_ends(actor, request);
        self.1.copy_ends(actor, request);
    }
    fn mbarrier(&mut self, actor: Actor, request: &Request, by: &MbarrierUse) {
        self.0.mbarrier(actor, request, by);
        self.1.mbarrier(actor, request, by);
    }
    fn barrier_site(&mut self, actor: Actor, mask: u32, sites: &[(u32, bool)]) {
        self.0.barrier_site(actor, mask, sites);
        self.1.barrier_site(actor, mask, sites);
    }
    fn barrier(&mut self, actor: Actor, mask: u32, id: u32) {
        self.0.barrier(actor, mask, id);
        self.1.barrier(actor, mask, id);
    }
    fn barrier_opens(&mut self, grid: u32, block: u64, id: u32, all: bool) {
        self.0.barrier_opens(grid, block, id, all);
        self.1.barrier_opens(grid, block, id, all);
    }
    fn warp_barrier(&mut self, actor: Actor, mask: u32) {
        self.0.warp_barrier(actor, mask);
        self.1.warp_barrier(actor, mask);
    }
    fn barrier_stall(&mut self, actor: Actor) {
        self.0.barrier_stall(actor);
        self.1.barrier_stall(actor);
    }
    fn fence(&mut self, actor: Actor, mask: u32, scope: Scope) {
        self.0.fence(actor, mask, scope);
        self.1.fence(actor, mask, scope);
    }
    fn device_launch(&mut self, actor: Actor, launch: &DeviceLaunch) {
        self.0.device_launch(actor, launch);
        self.1.device_launch(actor, launch);
    }
    fn children_done(&mut self, actor: Actor, mask: u32) {
        self.0.children_done(actor, mask);
        self.1.children_done(actor, mask);
    }
    fn finding(&mut self, diagnostic: Diagnostic) {
        self.0.finding(diagnostic.clone());
        self.1.finding(diagnostic);
    }
}

/// An observer elsewhere listens through a reference to it.
impl<O: Observer + ?Sized> Observer for &mut O {
    fn grid(&mut self, start: Start) {
        (**self).grid(start);
    }
    fn block_end(&mut self, grid: u32, block: u64) {
        (**self).block_end(grid, block);
    }
    fn instruction(&mut self, active: u32) {
        (**self).instruction(active);
    }
    fn divergence(&mut self, actor: Actor) {
        (**self).divergence(actor);
    }
    fn branch(&mut self, actor: Actor, ways: &Ways) {
        (**self).branch(actor, ways);
    }
    fn request(&mut self, actor: Actor, request: &Request) {
        (**self).request(actor, request);
    }
    fn copy_starts(&mut self, actor: Actor, request: &CopyRequest) {
        (**self).copy_starts(actor, request);
    }
    fn copy_ends(&mut self, actor: Actor, request: &CopyRequest) {
        (**self).copy_ends(actor, request);
    }
    fn mbarrier(&mut self, actor: Actor, request: &Request, by: &MbarrierUse) {
        (**self).mbarrier(actor, request, by);
    }
    fn barrier_site(&mut self, actor: Actor, mask: u32, sites: &[(u32, bool)]) {
        (**self).barrier_site(actor, mask, sites);
    }
    fn barrier(&mut self, actor: Actor, mask: u32, id: u32) {
        (**self).barrier(actor, mask, id);
    }
    fn barrier_stall(&mut self, actor: Actor) {
        (**self).barrier_stall(actor);
    }
    fn barrier_opens(&mut self, grid: u32, block: u64, id: u32, all: bool) {
        (**self).barrier_opens(grid, block, id, all);
    }
    fn warp_barrier(&mut self, actor: Actor, mask: u32) {
        (**self).warp_barrier(actor, mask);
    }
    fn fence(&mut self, actor: Actor, mask: u32, scope: Scope) {
        (**self).fence(actor, mask, scope);
    }
    fn device_launch(&mut self, actor: Actor, launch: &DeviceLaunch) {
        (**self).device_launch(actor, launch);
    }
    fn children_done(&mut self, actor: Actor, mask: u32) {
        (**self).children_done(actor, mask);
    }
    fn finding(&mut self, diagnostic: Diagnostic) {
        (**self).finding(diagnostic);
    }
}
