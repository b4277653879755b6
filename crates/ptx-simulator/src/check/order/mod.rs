//! What is ordered before what: the happens-before relation that races are judged by.
//!
//! PTX ISA chapter 8 ("Memory Consistency Model") and the CUDA C++ Programming Guide, "CUDA Dynamic
//! Parallelism". One access is before another if they are connected by
//! - program order of a thread;
//! - a block barrier, for the threads that take part;
//! - `bar.warp.sync`, for the lanes it names (votes and shuffles order nothing);
//! - the barrier of a cluster (`cluster.rs`);
//! - a release and an acquire of the same location (`release.rs`). An atomic without a result (`red`) reads
//!   nothing;
//! - the launch of a grid, for what is before the launch in the launching thread;
//! - the end of a grid: a tail launch and what follows in a stream come after all of it, children included;
//!   so does what a programmatic dependent launch does behind `griddepcontrol.wait`, and nothing else of it.
//!
//! Each block has a time of its own (`clock.rs`), which counts what orders something in it. An access has the
//! time at which it happened; it is before a barrier of its block if its time is smaller than the barrier's,
//! and so on. So no access needs a clock of its own, and blocks that do the same have the same times.

mod clock;
mod cluster;
mod known;
mod release;

use rustc_hash::FxHashMap;

use crate::arith::WARP;
use crate::observe::{Actor, After, Start};
use crate::ptx::Scope;
use clock::{BlockClock, ThreadClock, in_partial};
use release::{Log, Point};

pub use release::{Gap, Location};

pub type Time = u32;
/// A grid, and a block of it.
pub type BlockId = (u32, u64);
/// A grid, and a cluster of it.
pub type ClusterId = (u32, u64);

/// An access that has happened: by which lane of which warp (counted over all grids), and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Past {
    pub warp: u32,
    pub lane: u8,
    pub time: Time,
}

/// A grid, as far as order goes.
#[derive(Debug)]
pub struct Grid {
    device: u32,
    pub parent: Option<u32>,
    first_warp: u32,
    warps_a_block: u32,
    pub block_dim: [u32; 3],
    pub grid_dim: [u32; 3],
    /// Blocks of a cluster.
    pub cluster_dim: [u32; 3],
    after: After,
}

impl Grid {
    pub fn threads(&self) -> u32 {
        self.block_dim.iter().product()
    }
}

/// Whether an access that has happened is before what a thread does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    No,
    /// The thread has seen the flag that orders the two, and something is missing.
    Almost(Gap),
    Yes,
}

#[derive(Debug, Default)]
pub struct Order {
    warps: u32,
    /// Devices that run at the same time.
    devices: u32,
    pub grids: Vec<Grid>,
    blocks: FxHashMap<BlockId, Box<BlockClock>>,
    launches: Vec<Point>,
    logs: Vec<Log>,
    log_of: FxHashMap<Location, u32>,
    /// The barriers of clusters.
    barriers: Vec<cluster::Rounds>,
    barrier_of: FxHashMap<ClusterId, u32>,
    /// Bytes of the releases in all logs, of launches, and of the rounds of clusters' barriers.
    bytes: usize,
}

/// A thread and the block it belongs to, at this moment.
#[derive(Clone, Copy)]
pub struct Here<'a> {
    order: &'a Order,
    clock: &'a BlockClock,
    id: BlockId,
    pub first_warp: u32,
    /// Of a block, at most 32.
    pub warps: u32,
    pub warp: u32,
}

impl Order {
    /// A grid starts; grids come in the order of their numbers.
    pub fn grid(&mut self, start: &Start) {
        let (bx, by, bz) = start.config.block_dim;
        let (gx, gy, gz) = start.config.grid_dim;
        let warps_a_block = (bx * by * bz).div_ceil(WARP as u32);
        let first_warp = self.warps;
        let blocks = gx as u64 * gy as u64 * gz as u64;
        let warps = blocks.saturating_mul(warps_a_block as u64).min(u32::MAX as u64) as u32;
        self.warps = self.warps.saturating_add(warps);
        self.devices = self.devices.max(start.device + 1);
        self.grids.push(Grid {
            device: start.device,
            parent: start.parent,
            first_warp,
            warps_a_block,
            block_dim: [bx, by, bz],
            grid_dim: [gx, gy, gz],
            cluster_dim: start.cluster,
            after: start.after,
        });
    }

    /// Whether the blocks of a grid are in clusters of more than one.
    pub fn has_clusters(&self, grid: u32) -> bool {
        self.grids[grid as usize].cluster_dim != [1; 3]
    }

    /// The cluster of a block; without clusters, each block is one.
    pub fn cluster_of(&self, (grid, block): BlockId) -> ClusterId {
        let Grid { cluster_dim, grid_dim, .. } = &self.grids[grid as usize];
        if *cluster_dim == [1; 3] {
            return (grid, block);
        }
        let [gx, gy, _] = grid_dim.map(u64::from);
        let [cx, cy, cz] = cluster_dim.map(u64::from);
        let [x, y, z] = [block % gx / cx, block / gx % gy / cy, block / (gx * gy) / cz];
        (grid, x + gx / cx * (y + gy / cy * z))
    }

    /// The blocks of a cluster, by their ranks.
    pub fn blocks_of(&self, (grid, cluster): ClusterId) -> Vec<u64> {
        let Grid { cluster_dim, grid_dim, .. } = &self.grids[grid as usize];
        let [gx, gy, _] = grid_dim.map(u64::from);
        let [cx, cy, cz] = cluster_dim.map(u64::from);
        let (rows, layers) = (gx / cx, gy / cy);
        let first =
            cluster % rows * cx + gx * (cluster / rows % layers * cy + gy * (cluster / (rows * layers) * cz));
        (0..cx * cy * cz)
            .map(|rank| first + rank % cx + gx * (rank / cx % cy + gy * (rank / (cx * cy))))
            .collect()
    }

    /// Which of the devices a grid runs on.
    pub fn device_of(&self, grid: u32) -> u32 {
        self.grids[grid as usize].device
    }

    /// Bytes that the releases take, about.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn block_end(&mut self, id: BlockId) {
        self.blocks.remove(&id);
    }

    pub fn is_under_way(&self, id: BlockId) -> bool {
        self.blocks.contains_key(&id)
    }

    /// The clock of a block under way.
    pub fn block(&mut self, id: BlockId) -> &mut BlockClock {
        self.blocks.entry(id).or_default()
    }

    pub fn clock(&mut self, actor: Actor) -> &mut BlockClock {
        self.block((actor.grid, actor.block))
    }

    /// The block of an actor, for questions about what is before it.
    #[inline]
    pub fn here(&mut self, actor: Actor) -> Here<'_> {
        self.clock(actor);
        let info = &self.grids[actor.grid as usize];
        let first_warp = info.first_warp.wrapping_add((actor.block as u32).wrapping_mul(info.warps_a_block));
        let (warps, warp, id) = (info.warps_a_block, first_warp + actor.warp, (actor.grid, actor.block));
        let order = &*self;
        Here { order, clock: &order.blocks[&id], id, first_warp, warps, warp }
    }

    /// When a lane has executed its last fence; 0: never.
    pub fn last_fence(&mut self, actor: Actor, lane: usize) -> Time {
        self.clock(actor).thread(actor.warp, lane).fences.into_iter().max().unwrap_or(0)
    }

    /// Which warp an actor is, counted over all grids.
    pub fn warp_number(&self, actor: Actor) -> u32 {
        let info = &self.grids[actor.grid as usize];
        info.first_warp + actor.block as u32 * info.warps_a_block + actor.warp
    }

    /// A device launch is made by `lane`; launches come in the order of their numbers.
    pub fn launch(&mut self, actor: Actor, lane: usize) {
        let time = self.clock(actor).tick();
        let point = self.point(actor, lane, time);
        self.bytes += point.bytes();
        self.launches.push(point);
    }

    /// Whether the host launched a grid behind another one without waiting for that.
    pub fn is_dependent(&self, grid: u32) -> bool {
        self.grids[grid as usize].after == After::Dependent
    }

    /// Lanes have waited for the grids before their own, which have all ended, and see what they wrote.
    pub fn grid_wait(&mut self, actor: Actor, mask: u32) {
        if self.is_dependent(actor.grid) {
            let clock = self.clock(actor);
            clock.tick();
            let before = known::Acquired { log: u32::MAX, of: known::Whose::Grids, upto: actor.grid };
            crate::arith::lanes(mask)
                .for_each(|lane| known::learn(&mut clock.thread(actor.warp, lane).known, before));
        }
    }

    /// Lanes have waited for all that their block has launched so far.
    pub fn children_done(&mut self, actor: Actor, mask: u32) {
        let launches = self.launches.len() as u32;
        let clock = self.clock(actor);
        clock.tick();
        crate::arith::lanes(mask).for_each(|lane| clock.thread(actor.warp, lane).children = launches);
    }

    /// The grid, block and warp in the block that a global warp number belongs to.
    pub fn locate(&self, warp: u32) -> (u32, u64, u32) {
        let grid = self.grids.partition_point(|grid| grid.first_warp <= warp).saturating_sub(1);
        let info = &self.grids[grid];
        let offset = warp - info.first_warp;
        (grid as u32, (offset / info.warps_a_block) as u64, offset % info.warps_a_block)
    }

    /// Whether `grid` is `root`, or was launched below it.
    pub fn within(&self, grid: u32, root: u32) -> bool {
        let mut at = grid;
        while at > root {
            match self.grids[at as usize].parent {
                Some(parent) => at = parent,
                None => return false,
            }
        }
        at == root
    }

    fn before_point(&self, past: Past, point: &Point, depth: u32) -> bool {
        self.before_directly(past, point, depth) || {
            let (grid, block, _) = self.locate(past.warp);
            self.is_known(past, (grid, block), &point.known, depth)
        }
    }

    /// [`Order::before_point`] without what the point's thread has learnt from releases.
    fn before_directly(&self, past: Past, point: &Point, depth: u32) -> bool {
        if past.warp == point.warp && past.lane == point.lane {
            return past.time < point.time;
        }
        let (grid, block, warp) = self.locate(past.warp);
        if grid == point.grid && block == point.block {
            if past.time < point.barrier {
                return true;
            }
            let row = point.row.as_ref().filter(|_| past.warp == point.warp);
            let (_, _, my_warp) = self.locate(point.warp);
            if row.is_some_and(|row| past.time < row[past.lane as usize])
                || in_partial(&point.partial, past, warp, my_warp, point.lane)
            {
                return true;
            }
        }
        self.before_grid(past, grid, point.grid, depth)
            || self.in_children(grid, (point.grid, point.block), point.children)
    }

    /// Whether the start of grid `to` comes after a past access of grid `from`.
    fn before_grid(&self, past: Past, from: u32, to: u32, depth: u32) -> bool {
        if from == to || depth > 64 {
            return false;
        }
        let mut at = to;
        loop {
            let grid = &self.grids[at as usize];
            match grid.after {
                After::Host | After::Dependent => return false,
                After::Parent => {
                    let Some(parent) = grid.parent else { return false };
                    // It starts when all of its parent that has started is complete.
                    if from < at && self.within(from, parent) {
                        return true;
                    }
                    at = parent;
                }
                After::Launch { launch } => return self.before_launch(past, launch, depth),
                After::Stream { launch, previous } => {
                    let mut earlier = previous;
                    while let Some(number) = earlier {
                        if self.within(from, number) {
                            return true;
                        }
                        earlier = match self.grids[number as usize].after {
                            After::Stream { previous, .. } => previous,
                            _ => None,
                        };
                    }
                    return self.before_launch(past, launch, depth);
                }
            }
        }
    }

    fn before_launch(&self, past: Past, launch: u32, depth: u32) -> bool {
        self.launches.get(launch as usize).is_some_and(|point| self.before_point(past, point, depth + 1))
    }

    /// Whether a past access was made below a child of the block that the block has waited for. `done`:
    /// launches when it last did.
    fn in_children(&self, from: u32, (grid, block): BlockId, done: u32) -> bool {
        let mut at = from;
        while done > 0
            && at != grid
            && let Some(parent) = self.grids[at as usize].parent
        {
            if parent == grid {
                let (After::Launch { launch } | After::Stream { launch, .. }) = self.grids[at as usize].after
                else {
                    return false;
                };
                let point = self.launches.get(launch as usize).filter(|_| launch < done);
                return point.is_some_and(|point| point.block == block);
            }
            at = parent;
        }
        false
    }
}

impl Here<'_> {
    /// The block's time.
    #[inline]
    pub fn now(&self) -> Time {
        self.clock.now
    }

    /// The last barrier of the whole block.
    #[inline]
    pub fn barrier(&self) -> Time {
        self.clock.barrier
    }

    /// Whether the past access is before what `lane` does now.
    #[inline]
    pub fn before(&self, past: Past, lane: usize) -> Before {
        let same_block = self.is_own_block(past);
        if same_block && past.time < self.clock.barrier {
            return Before::Yes;
        }
        if past.warp == self.warp && past.lane as usize == lane {
            return Before::Yes;
        }
        // Whatever orders two threads of a block takes time.
        if same_block && past.time == self.clock.now {
            return Before::No;
        }
        self.before_slowly(past, lane, same_block)
    }

    pub fn is_own_grid(&self, past: Past) -> bool {
        self.order.locate(past.warp).0 == self.id.0
    }

    /// The narrowest scope that includes this thread and that of the past access.
    pub fn scope_with(&self, past: Past) -> Scope {
        let device = |grid: u32| self.order.grids[grid as usize].device;
        match self.order.devices {
            _ if self.is_own_block(past) => Scope::Cta,
            _ if self.is_own_cluster(past) => Scope::Cluster,
            2.. if device(self.order.locate(past.warp).0) != device(self.id.0) => Scope::System,
            _ => Scope::Gpu,
        }
    }

    /// The narrowest scope that includes the threads of any other block.
    pub fn scope_with_others(&self) -> Scope {
        if self.order.devices > 1 { Scope::System } else { Scope::Gpu }
    }

    /// Whether a past access is by a block of the same cluster of several.
    pub fn is_own_cluster(&self, past: Past) -> bool {
        let order = self.order;
        order.has_clusters(self.id.0) && {
            let (grid, block, _) = order.locate(past.warp);
            grid == self.id.0 && order.cluster_of((grid, block)) == order.cluster_of(self.id)
        }
    }

    pub fn is_own_block(&self, past: Past) -> bool {
        past.warp.wrapping_sub(self.first_warp) < self.warps
    }

    #[inline(never)]
    fn before_slowly(&self, past: Past, lane: usize, same_block: bool) -> Before {
        let warp = self.warp - self.first_warp;
        if same_block {
            if past.warp == self.warp
                && self.clock.row(warp, lane).is_some_and(|row| past.time < row[past.lane as usize])
            {
                return Before::Yes;
            }
            if in_partial(&self.clock.partial, past, past.warp - self.first_warp, warp, lane as u8) {
                return Before::Yes;
            }
        }
        let (grid, block, _) = self.order.locate(past.warp);
        let none = ThreadClock::default();
        let thread = self.clock.threads.get(warp as usize * WARP + lane).unwrap_or(&none);
        let is_known = |known| self.order.is_known(past, (grid, block), known, 0);
        if self.order.before_grid(past, grid, self.id.0, 0)
            || is_known(&self.clock.known)
            || is_known(&thread.known)
            || self.order.in_children(grid, self.id, self.clock.children.max(thread.children))
        {
            return Before::Yes;
        }
        let gaps = [&self.clock.seen, &thread.seen].map(|seen| self.order.gap(past, (grid, block), seen));
        gaps.into_iter().flatten().min().map_or(Before::No, Before::Almost)
    }
}
