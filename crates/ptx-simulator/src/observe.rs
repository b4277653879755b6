//! What the simulator tells those who watch: the core executes, observers count and judge.

use crate::arith::{LaneOrder, Lanes};
use crate::device::LaunchConfig;
use crate::diagnostic::Diagnostic;
use crate::ptx::{Order, Scope, Space};
use crate::what::{Side, Words};

pub use crate::what::Access;

/// What a thread does with the value of a strong load, as far as its function shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Use {
    /// It decides where the thread goes, and no more.
    #[default]
    Decides,
    /// It decides whether the thread stores to global memory.
    Shows,
    /// It decides whether the thread stores to the same word.
    Claims,
    /// The thread reads again until it likes the value.
    Waits,
    /// It becomes part of what the thread stores or hands on.
    GoesOn,
}

impl Use {
    /// Whether it decides whether something is stored to global memory.
    pub fn decides(self) -> bool {
        matches!(self, Use::Shows | Use::Claims)
    }
}

/// A kind of fence (PTX ISA 9.7.13, `fence`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FenceKind {
    /// `fence.acquire`
    Acquire,
    /// `fence.release`
    Release,
    /// `fence.acq_rel`
    AcquireRelease,
    /// `fence.sc`, which is also ordered with all others of its kind: `__threadfence()`.
    Sc,
}

/// Who does something, and where in the program.
#[derive(Clone, Copy, Debug)]
pub struct Actor<'a> {
    /// Number of the grid in this launch; those that the host launched come first.
    pub grid: u32,
    /// Linear number of the block in its grid.
    pub block: u64,
    /// Number of the warp in its block.
    pub warp: u32,
    /// Index into the program's line table.
    pub loc: u32,
    /// The kernel that runs.
    pub kernel: &'a str,
}

/// Another block of the actor's cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its number in the cluster.
    pub rank: u32,
    /// Its linear number in the grid.
    pub block: u64,
}

/// One warp-level access to memory.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// What it does.
    pub access: Access,
    /// Where.
    pub space: Space,
    /// Whose shared memory it is, if it is not that of the actor's block.
    pub owner: Option<Peer>,
    /// The lanes that take part.
    pub mask: u32,
    /// Their addresses within the space; in shared memory the offset within the block's, or, outside of every
    /// variable, a number of more than 32 bits (`memory/shared.rs`).
    pub addresses: &'a Lanes,
    /// Bytes per lane.
    pub bytes: u32,
    /// Memory order.
    pub order: Order,
    /// Memory scope.
    pub scope: Scope,
    /// Of a strong load: what its thread does with the value.
    pub used: Use,
    /// Of an atomic: whether its thread looks at what it returns. A compiler writes a result also where the
    /// source uses none.
    pub looks: bool,
    /// Of an atomic: which lane comes after which.
    pub turns: LaneOrder,
    /// Lanes of a store or an atomic that change what is there (known only under checks).
    pub changed: u32,
    /// Lanes of a store that write what is there already (known only under checks), and of an atomic that
    /// does not swap.
    pub unchanged: u32,
    /// Of a plain load: whether the function's code leaves open that its value is discarded, so that the
    /// checks have to see in the run what becomes of it.
    pub follows: bool,
    /// Whether a plain load or store is half of an update: what was loaded is changed and stored to where it
    /// came from.
    pub updates: bool,
    /// The number that the checks give such a load; else 0.
    pub read: u32,
    /// What its lanes read or write, known only under checks: one entry for each part of a vector. Of an
    /// atomic what was there before, and its first operand.
    pub values: &'a [&'a Lanes],
}

impl<'a> Request<'a> {
    #[inline(always)]
    pub(crate) fn new(
        access: Access,
        space: Space,
        mask: u32,
        addresses: &'a Lanes,
        bytes: u32,
        order: Order,
        scope: Scope,
    ) -> Request<'a> {
        Request {
            access,
            space,
            owner: None,
            mask,
            addresses,
            bytes,
            order,
            scope,
            used: Use::default(),
            looks: false,
            turns: LaneOrder::default(),
            follows: false,
            updates: false,
            read: 0,
            changed: 0,
            unchanged: 0,
            values: &[],
        }
    }

    /// Bytes of an element: a vector is that many accesses (PTX ISA 8.2.2).
    pub(crate) fn element_bytes(&self) -> u32 {
        match self.access {
            Access::Atomic { .. } => self.bytes,
            _ => self.bytes / self.values.len().max(1) as u32,
        }
    }
}

/// Asynchronous copies from global to shared memory by lanes of a warp.
#[derive(Clone, Debug)]
pub struct CopyRequest {
    /// The lanes that take part.
    pub mask: u32,
    /// Offsets in shared memory.
    pub to: Lanes,
    /// Addresses in global memory.
    pub from: Lanes,
    /// Bytes per lane.
    pub bytes: u32,
    /// Bytes that each takes from global memory; the others become zero.
    pub given: Lanes,
}

impl CopyRequest {
    /// One half of the copies, by the lanes of `mask`, as an access of this many bytes.
    pub fn side(&self, access: Access, space: Space, mask: u32, bytes: u32) -> Request<'_> {
        let addresses = if access == Access::Load { &self.from } else { &self.to };
        Request::new(access, space, mask, addresses, bytes, Order::Weak, Scope::Gpu)
    }
}

/// A wait for asynchronous copies that leaves some out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyWait {
    /// Where it is, in the program's line table.
    pub loc: u32,
    /// How many of the newest groups it does not wait for.
    pub groups: u32,
    /// Whether the copies were committed before it.
    pub committed: bool,
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
    /// Nothing: the host launched it behind another grid, and its threads wait for that one by
    /// `cudaGridDependencySynchronize()`.
    Dependent,
    /// Its launch alone.
    Launch {
        /// Number of the launch.
        launch: u32,
    },
    /// Its launch, and the completion of the grid before it in its stream.
    Stream {
        /// Number of the launch.
        launch: u32,
        /// Number of the grid before it.
        previous: Option<u32>,
    },
    /// The blocks of the parent, and all grids that the parent has launched so far.
    Parent,
}

/// A grid that starts.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// Number of the grid in this launch, 0 for the one the host launched.
    pub grid: u32,
    /// Number of the grid that launched it.
    pub parent: Option<u32>,
    /// Device launches from the host's grid to this one.
    pub depth: u32,
    /// Which of the devices that run at the same time ([`Simulator::launch_together`]) it runs on.
    ///
    /// [`Simulator::launch_together`]: crate::Simulator::launch_together
    pub device: u32,
    /// The kernel.
    pub kernel: &'a str,
    /// Grid and block.
    pub config: &'a LaunchConfig,
    /// Blocks of a cluster in x, y, z; 1 of each where there are no clusters.
    pub cluster: [u32; 3],
    /// What it has waited for.
    pub after: After,
    /// Where the barrier of a cooperative grid lies; 0 if it has none.
    pub workspace: u64,
}

/// A launch by device code.
#[derive(Clone, Copy, Debug)]
pub struct DeviceLaunch<'a> {
    /// Number of the launch, counted from 0 over all that were accepted.
    pub launch: u32,
    /// The launching lane.
    pub lane: usize,
    /// The error, if the device refuses; and, where it is about the grid that was asked for, what is wrong.
    pub refused: Option<u32>,
    /// What is wrong with the grid, the block or the shared memory.
    pub why: Option<&'a str>,
    /// Launches that are pending now, and that may be.
    pub pending: u64,
    /// The most that may be.
    pub limit: u64,
    /// The arguments as they lie in the parameter buffer.
    pub params: &'a [u8],
    /// What is launched, if it is known and accepted.
    pub child: Option<Child>,
}

/// A grid that device code launches.
#[derive(Clone, Copy, Debug)]
pub struct Child {
    /// Its kernel, as an index into the module's functions.
    pub kernel: usize,
    /// Its grid and block.
    pub config: LaunchConfig,
}

/// Something that happens while a kernel runs.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A grid starts.
    Grid(Start<'a>),
    /// The last thread of a block has exited.
    BlockEnd {
        /// Number of the grid in this launch.
        grid: u32,
        /// Linear number of the block in its grid.
        block: u64,
    },
    /// The launch takes long: told again whenever it has executed twice as much.
    Underway {
        /// Instructions that its warps have executed so far.
        by_warps: u64,
    },
    /// The launch has ended, or has been stopped.
    Executed {
        /// Instructions that its warps have executed.
        by_warps: u64,
        /// The same, times the lanes that were active.
        by_threads: u64,
    },
    /// A barrier of a block opens.
    BarrierOpens {
        /// Number of the grid in this launch.
        grid: u32,
        /// Linear number of the block in its grid.
        block: u64,
        /// Which of the block's sixteen barriers.
        id: u32,
        /// Whether all threads of the block that have not exited were there, or only some.
        all: bool,
        /// Threads that have exited, and were not waited for.
        exited: u32,
    },
    /// The barrier of a cluster opens.
    ClusterOpens {
        /// Number of the grid in this launch.
        grid: u32,
        /// Number of the cluster in its grid.
        cluster: u64,
        /// Threads of the cluster.
        threads: u32,
        /// Those of them that have exited, and were not waited for.
        exited: u32,
    },
    /// Launches no longer count as pending.
    LaunchesDone {
        /// Those that still do.
        pending: u64,
    },
    /// Lanes of a warp do something.
    By(Actor<'a>, &'a Act<'a>),
    /// Something is wrong that does not stop the launch.
    Finding {
        /// Number of the grid in this launch.
        grid: u32,
        /// Linear number of the block in its grid.
        block: u64,
        /// What.
        found: &'a Diagnostic,
    },
}

/// What lanes of a warp do. A mask says which.
#[derive(Clone, Copy, Debug)]
pub enum Act<'a> {
    /// They go different ways.
    Diverge {
        /// The lanes of the first way.
        taken: u32,
        /// All others.
        rest: u32,
    },
    /// They come to a branch that has a barrier on one of its sides only.
    Branch {
        /// Number of the branch among those of the program.
        watch: u32,
        /// The lanes that take it.
        taken: u32,
        /// The lanes that do not.
        rest: u32,
    },
    /// They access memory.
    Access(&'a Request<'a>),
    /// They ask for copies, which are done later.
    CopyStarts(&'a CopyRequest),
    /// They have waited for other copies, and not for these.
    CopyLeftOut(&'a CopyRequest, CopyWait),
    /// They have waited for copies, which are done.
    CopyEnds(&'a CopyRequest),
    /// They arrive at an mbarrier, or wait for one.
    Mbarrier(&'a Request<'a>, MbarrierUse),
    /// They come to a block barrier, or to a call of a function with one, that lies behind watched branches.
    BarrierSite {
        /// The lanes.
        mask: u32,
        /// The branches' numbers, and whether on the taken side.
        sites: &'a [(u32, bool)],
    },
    /// They arrive at a block barrier.
    Barrier {
        /// The lanes.
        mask: u32,
        /// Which of the block's sixteen barriers.
        id: u32,
        /// Whether they wait there (`bar.sync`), or go on (`bar.arrive`).
        waits: bool,
    },
    /// Those that arrived last must wait, because other threads of the block are missing.
    BarrierStall,
    /// They arrive at the barrier of their cluster.
    ClusterArrive {
        /// The lanes.
        mask: u32,
        /// Whether those who wait there see what they have written before.
        releases: bool,
    },
    /// They have waited at it, and it has opened.
    ClusterWait(u32),
    /// They have met at a warp barrier.
    WarpBarrier(u32),
    /// They execute a memory fence, for all in a scope to see what they have written before.
    Fence {
        /// The lanes.
        mask: u32,
        /// For whom.
        scope: Scope,
        /// What kind of fence it is.
        kind: FenceKind,
    },
    /// One of them launches a child grid.
    Launch(&'a DeviceLaunch<'a>),
    /// They have waited for the grid before theirs (`griddepcontrol.wait`).
    GridWait(u32),
    /// They have waited for the children of their block.
    ChildrenDone(u32),
}

/// Listens to an execution.
pub trait Observer {
    /// Is told everything, in the order in which it happens.
    fn event(&mut self, event: &Event);
}

/// What a launch runs under: who is told all, and whether undefined values are followed through registers and
/// memory.
pub(crate) trait Watch: Observer {
    /// Bytes that the checks remember; `None` without checks.
    fn remembers(&self) -> Option<usize>;

    /// Of the load that they have just been told: the values that are to be followed.
    fn given(&mut self) -> Vec<Given> {
        Vec::new()
    }

    /// Lanes of `mask` use what these reads have given.
    fn used(&mut self, _reads: &[u32], _mask: u32) {}

    /// Lanes of `mask` hand on what these reads have given, to other lanes or threads of the block: the
    /// reads of which that is all that counts, so that their values need not be followed any further.
    fn moved(&mut self, _reads: &[u32], _mask: u32) -> Vec<u32> {
        Vec::new()
    }

    /// Which thread holds the lock that a lane asks for, and where it took it.
    fn holder(&self, _actor: Actor, _request: &Request, _lane: usize) -> Option<Side> {
        None
    }

    /// What is wrong, if a lane waits at the barrier of its grid and no block comes there any more.
    fn waits_for_the_grid(&self, _actor: Actor, _request: &Request, _lane: usize) -> Option<Words> {
        None
    }

    /// A compare-and-swap compares what these reads have given: the lanes whose word is the one that was
    /// read.
    fn guesses(&mut self, _actor: Actor, _reads: &[u32], _request: &Request) -> u32 {
        0
    }
}

/// Values of a load that are followed: the number of the read, the element of a vector (or all), and the
/// lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given {
    pub read: u32,
    pub part: Option<usize>,
    pub lanes: u32,
}

/// An observer of a launch without checks.
pub(crate) struct Unchecked<'a, O>(pub &'a mut O);

impl<O: Observer> Watch for Unchecked<'_, O> {
    fn remembers(&self) -> Option<usize> {
        None
    }
}

impl<O: Observer> Observer for Unchecked<'_, O> {
    #[inline]
    fn event(&mut self, event: &Event) {
        self.0.event(event);
    }
}

/// Two observers listen to one execution.
impl<A: Observer, B: Observer> Observer for (A, B) {
    #[inline]
    fn event(&mut self, event: &Event) {
        self.0.event(event);
        self.1.event(event);
    }
}

/// An observer elsewhere listens through a reference to it.
impl<O: Observer + ?Sized> Observer for &mut O {
    #[inline]
    fn event(&mut self, event: &Event) {
        (**self).event(event);
    }
}
