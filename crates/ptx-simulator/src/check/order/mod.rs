//! What is ordered before what: the happens-before relation that races are judged by.
//!
//! PTX ISA chapter 8 ("Memory Consistency Model") and the CUDA C++ Programming Guide, "CUDA Dynamic
//! Parallelism". One access is before another if they are connected by
//! - program order of a thread;
//! - a block barrier, for the threads that take part;
//! - `bar.warp.sync`, for the lanes it names (votes and shuffles order nothing);
//! - the barrier of a cluster;
//! - a release and an acquire of the same location (`release.rs`). The read of an atomic without a result
//!   (`red`) acquires nothing;
//! - two `fence.sc` (`fence_sc.rs`);
//! - the launch of a grid, for what is before the launch in the launching thread;
//! - the end of a grid: a tail launch and what follows in a stream come after all of it, children included;
//!   so does whatever a programmatic dependent launch does after `griddepcontrol.wait`, but nothing that it
//!   does before.
//!
//! Every thread has a vector clock (`clock.rs`), in two parts: the last barrier of its block and what the
//! whole block knows (`block.rs`), and what it has learnt by itself since. What synchronises joins clocks
//! (`release.rs`, and `Block::meet`). The ends of grids are no part of clocks: they follow from who launched
//! whom.

mod block;
mod clock;
mod communication;
mod fence_sc;
mod release;

use std::iter::successors;

use rustc_hash::FxHashMap;

use crate::arith::{WARP, lanes};
use crate::device::{LaunchConfig, count_in, index_in, number_in};
use crate::observe::{Actor, After, Start};
use crate::ptx::Scope;
use block::Block;
use clock::{Clock, View, Whose};
use communication::FenceSc;

pub use clock::{BlockId, ClusterId, Gap, Location, Past, Time};

/// Whether an access that has happened is before what a thread does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    No,
    /// The thread has seen the flag that orders the two, and something is missing.
    Almost(Gap),
    Yes,
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
    /// What its threads know from the start.
    known: Clock,
}

impl Grid {
    pub fn threads(&self) -> u32 {
        self.block_dim.iter().product()
    }

    pub fn blocks(&self) -> u64 {
        self.grid_dim.iter().map(|dim| u64::from(*dim)).product()
    }

    /// Clusters in x, y, z.
    fn clusters(&self) -> [u32; 3] {
        std::array::from_fn(|axis| self.grid_dim[axis] / self.cluster_dim[axis])
    }

    /// The first warp of a block, counted over all grids.
    fn first_warp(&self, block: u64) -> u32 {
        self.first_warp.wrapping_add((block as u32).wrapping_mul(self.warps_a_block))
    }
}

/// A launch by device code: where, and what the launching thread knew.
#[derive(Debug)]
struct Launch {
    grid: u32,
    first_warp: u32,
    known: Clock,
}

type Round = u32;

/// What has been released, location by location.
#[derive(Debug, Default)]
struct Released {
    at: FxHashMap<(Location, Whose), (Round, Clock)>,
    /// How many stores a location has had since something was first released there: what was released in an
    /// earlier round cannot be observed any more.
    rounds: FxHashMap<Location, Round>,
    /// Blocks that have released something.
    blocks: usize,
}

impl Released {
    /// Bytes that all this takes, about.
    fn bytes(&self) -> usize {
        (self.at.len() + self.blocks) * CLOCK_BYTES + self.rounds.len() * size_of::<(Location, Round)>()
    }
}

/// Bytes that a released clock takes beyond what it shares with others, about.
const CLOCK_BYTES: usize = 512;

/// The barrier of a cluster. A thread that has exited has arrived for good.
#[derive(Debug, Default)]
struct ClusterBarrier {
    /// What a thread knows after it has waited for the last complete round.
    last_round: Clock,
    /// What those who have arrived for the next round knew; `.relaxed` arrivals add nothing.
    next_round: Clock,
    /// Who has arrived for the next round.
    arrived: Vec<Arrived>,
}

/// Lanes that have arrived.
#[derive(Debug)]
struct Arrived {
    /// Counted over all grids.
    warp: u32,
    lanes: u32,
}

#[derive(Debug, Default)]
pub struct Order {
    warps: u32,
    /// Devices that run at the same time.
    devices: u32,
    pub grids: Vec<Grid>,
    blocks: FxHashMap<BlockId, Box<Block>>,
    launches: Vec<Launch>,
    released: Released,
    clusters: FxHashMap<ClusterId, ClusterBarrier>,
    fence_sc: FenceSc,
    /// Whether a thread has executed a fence.
    has_fences: bool,
}

/// A warp, and its block as it is at this moment.
#[derive(Clone, Copy)]
pub struct Here<'a> {
    order: &'a Order,
    block: &'a Block,
    id: BlockId,
    pub first_warp: u32,
    /// Warps of a block, at most 32.
    pub warps: u32,
    /// Counted over all grids.
    pub warp: u32,
}

impl Order {
    /// A grid starts; grids come in the order of their numbers.
    pub fn grid(&mut self, start: &Start) {
        let LaunchConfig { grid_dim, block_dim, .. } = *start.config;
        let warps_a_block = (count_in(block_dim) as u32).div_ceil(WARP as u32);
        let first_warp = self.warps;
        let warps = count_in(grid_dim).saturating_mul(warps_a_block.into()).min(u32::MAX.into()) as u32;
        self.warps = self.warps.saturating_add(warps);
        self.devices = self.devices.max(start.device + 1);
        let known = match start.after {
            After::Launch { launch } | After::Stream { launch, .. } => {
                self.launches.get(launch as usize).map(|launch| launch.known.clone())
            }
            After::Parent => start.parent.map(|parent| self.grids[parent as usize].known.clone()),
            After::Host | After::Dependent => None,
        };
        self.grids.push(Grid {
            device: start.device,
            parent: start.parent,
            first_warp,
            warps_a_block,
            block_dim: block_dim.into(),
            grid_dim: grid_dim.into(),
            cluster_dim: start.cluster,
            after: start.after,
            known: known.unwrap_or_default(),
        });
    }

    /// Whether the blocks of a grid are in clusters of more than one.
    pub fn has_clusters(&self, grid: u32) -> bool {
        self.grids[grid as usize].cluster_dim != [1; 3]
    }

    /// The cluster of a block; without clusters, each block is one.
    pub fn cluster_of(&self, (grid, block): BlockId) -> ClusterId {
        let info = &self.grids[grid as usize];
        let index = index_in(info.grid_dim, block);
        let of = std::array::from_fn(|axis| index[axis] / info.cluster_dim[axis]);
        (grid, number_in(info.clusters(), of))
    }

    /// The blocks of a cluster, by their ranks.
    pub fn blocks_of(&self, (grid, cluster): ClusterId) -> Vec<u64> {
        let info = &self.grids[grid as usize];
        let dim = info.cluster_dim;
        let of = index_in(info.clusters(), cluster);
        let at = |rank: u64| {
            let within = index_in(dim, rank);
            number_in(info.grid_dim, std::array::from_fn(|axis| of[axis] * dim[axis] + within[axis]))
        };
        (0..count_in(dim)).map(at).collect()
    }

    /// Which of the devices a grid runs on.
    pub fn device_of(&self, grid: u32) -> u32 {
        self.grids[grid as usize].device
    }

    /// Bytes that clocks of releases and launches take, about.
    pub fn bytes(&self) -> usize {
        self.released.bytes()
            + self.fence_sc.bytes()
            + self.launches.len() * (size_of::<Launch>() + size_of::<View>())
    }

    pub fn block_end(&mut self, id: BlockId) {
        self.blocks.remove(&id);
    }

    pub fn is_under_way(&self, id: BlockId) -> bool {
        self.blocks.contains_key(&id)
    }

    /// A block; one that is not known yet begins here.
    pub fn block(&mut self, (grid, block): BlockId) -> &mut Block {
        let info = &self.grids[grid as usize];
        let new = || Box::new(Block::new(info.first_warp(block), info.known.clone()));
        self.blocks.entry((grid, block)).or_insert_with(new)
    }

    /// The block of an actor, as [`Order::block`].
    pub fn block_of(&mut self, actor: Actor) -> &mut Block {
        self.block((actor.grid, actor.block))
    }

    /// The block of an actor, for questions about what is before it.
    #[inline]
    pub fn here(&mut self, actor: Actor) -> Here<'_> {
        // So that it is in the table.
        self.block_of(actor);
        let info = &self.grids[actor.grid as usize];
        let first_warp = info.first_warp(actor.block);
        let warps = info.warps_a_block;
        let warp = first_warp + actor.warp;
        let id = (actor.grid, actor.block);
        let order = &*self;
        Here { order, block: &order.blocks[&id], id, first_warp, warps, warp }
    }

    /// When a lane has executed its last fence; 0: never.
    pub fn last_fence(&mut self, actor: Actor, lane: usize) -> Time {
        let fences = &self.block_of(actor).thread(actor.warp, lane).fences;
        fences.iter().map(|fence| fence.time).max().unwrap_or(0)
    }

    /// Which warp an actor is, counted over all grids.
    pub fn warp_number(&self, actor: Actor) -> u32 {
        self.grids[actor.grid as usize].first_warp(actor.block) + actor.warp
    }

    /// The clock of a lane at `time`, the block's present one: all that it knows, and its own accesses so
    /// far. Whoever is ordered after this moment learns it.
    fn known(&mut self, actor: Actor, lane: usize, time: Time) -> Clock {
        let here = self.here(actor);
        let mut known = here.block.known.clone();
        let thread = here.block.threads.get(actor.warp as usize * WARP + lane);
        if let Some(thread) = thread {
            known.join(&thread.known);
        }
        known.learn(here.first_warp, View::at_fence(actor.warp, lane, here.block.barrier, time));
        known
    }

    /// A device launch is made by `lane`; launches come in the order of their numbers.
    pub fn launch(&mut self, actor: Actor, lane: usize) {
        let time = self.block_of(actor).tick();
        let grid = actor.grid;
        let known = self.known(actor, lane, time);
        let first_warp = self.grids[grid as usize].first_warp(actor.block);
        self.launches.push(Launch { grid, first_warp, known });
    }

    /// Whether the host launched a grid behind another one without waiting for that.
    pub fn is_dependent(&self, grid: u32) -> bool {
        self.grids[grid as usize].after == After::Dependent
    }

    /// Lanes have waited for the grids before their own, which have all ended, and see what they wrote.
    pub fn grid_wait(&mut self, actor: Actor, mask: u32) {
        if self.is_dependent(actor.grid) {
            let block = self.block_of(actor);
            block.tick();
            for lane in lanes(mask) {
                // All grids with smaller numbers.
                block.thread(actor.warp, lane).known.grids = actor.grid;
            }
        }
    }

    /// Lanes have waited for all that their block has launched so far.
    pub fn children_done(&mut self, actor: Actor, mask: u32) {
        let first_warp = self.grids[actor.grid as usize].first_warp(actor.block);
        let view = View { children: self.launches.len() as u32, ..View::default() };
        let block = self.block_of(actor);
        block.tick();
        for lane in lanes(mask) {
            block.thread(actor.warp, lane).known.learn(first_warp, view.clone());
        }
    }

    /// The grid that a warp, counted over all grids, belongs to.
    pub fn grid_of(&self, warp: u32) -> u32 {
        self.grids.partition_point(|grid| grid.first_warp <= warp).saturating_sub(1) as u32
    }

    /// Where a warp, counted over all grids, is: its block, and its number there.
    pub fn locate(&self, warp: u32) -> (BlockId, u32) {
        let grid = self.grid_of(warp);
        let info = &self.grids[grid as usize];
        let offset = warp - info.first_warp;
        let block = u64::from(offset / info.warps_a_block);
        ((grid, block), offset % info.warps_a_block)
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

    /// Whether a past access is known by a clock, or has been made below a launch that it knows the end of.
    pub fn knows(&self, clock: &Clock, past: Past) -> bool {
        if clock.is_empty() {
            return false;
        }
        let ((mut grid, _), warp) = self.locate(past.warp);
        if clock.knows(past, grid, warp) {
            return true;
        }
        while let Some(parent) = self.grids[grid as usize].parent {
            if let After::Launch { launch } | After::Stream { launch, .. } = self.grids[grid as usize].after
                && let Some(Launch { first_warp, .. }) = self.launches.get(launch as usize)
                && clock.view(*first_warp).is_some_and(|view| launch < view.children)
            {
                return true;
            }
            grid = parent;
        }
        false
    }

    /// What a block knows, all its threads together.
    pub fn known_at_all(&self, id: BlockId) -> Clock {
        let mut known = Clock::default();
        if let Some(block) = self.blocks.get(&id) {
            known.join(&block.known);
            for thread in &block.threads {
                known.join(&thread.known);
            }
        }
        known
    }

    /// Whether the start of grid `to` comes after the end of grid `from`.
    fn before_grid(&self, from: u32, to: u32) -> bool {
        let previous = |grid: u32| match self.grids[grid as usize].after {
            After::Stream { previous, .. } => previous,
            _ => None,
        };
        let mut at = to;
        while from != at {
            let Grid { after, parent, .. } = self.grids[at as usize];
            // Goes on with the grid that has launched this one.
            at = match after {
                After::Host | After::Dependent => return false,
                // It starts when all of its parent that has started is complete.
                After::Parent => {
                    let Some(parent) = parent else { return false };
                    if from < at && self.within(from, parent) {
                        return true;
                    }
                    parent
                }
                After::Launch { launch } | After::Stream { launch, .. } => {
                    let mut earlier = successors(previous(at), |grid| previous(*grid));
                    if earlier.any(|grid| self.within(from, grid)) {
                        return true;
                    }
                    let Some(launch) = self.launches.get(launch as usize) else { return false };
                    launch.grid
                }
            };
        }
        false
    }
}

impl Here<'_> {
    /// The block's time.
    #[inline]
    pub fn now(&self) -> Time {
        self.block.now
    }

    /// The last barrier of the whole block.
    #[inline]
    pub fn barrier(&self) -> Time {
        self.block.barrier
    }

    /// Whether the past access is before what `lane` does now.
    #[inline]
    pub fn before(&self, past: Past, lane: usize) -> Before {
        let same_block = self.is_own_block(past);
        if (same_block && past.time < self.block.barrier)
            || (past.warp == self.warp && past.lane as usize == lane)
        {
            return Before::Yes;
        }
        // Whatever orders two threads of a block advances its time. Blocks of a single grid are ordered only
        // by a release, a `fence.sc` or the barrier of their cluster.
        let order = self.order;
        let can_order_blocks = order.grids.len() > 1
            || order.released.blocks > 0
            || order.fence_sc.is_used
            || !order.clusters.is_empty();
        let is_unordered = if same_block { past.time == self.block.now } else { !can_order_blocks };
        if is_unordered {
            return Before::No;
        }
        self.before_slowly(past, lane)
    }

    #[inline(never)]
    fn before_slowly(&self, past: Past, lane: usize) -> Before {
        let thread = self.block.threads.get((self.warp - self.first_warp) as usize * WARP + lane);
        let knows = |clock| self.order.knows(clock, past);
        if knows(&self.block.known)
            || thread.is_some_and(|thread| knows(&thread.known))
            || self.order.before_grid(self.order.grid_of(past.warp), self.id.0)
        {
            return Before::Yes;
        }
        let seen = self.block.seen.iter().chain(thread.into_iter().flat_map(|thread| &thread.seen));
        let gaps = seen.filter(|seen| knows(&seen.clock)).map(|seen| seen.gap);
        gaps.min().map_or(Before::No, Before::Almost)
    }

    pub fn is_own_block(&self, past: Past) -> bool {
        past.warp.wrapping_sub(self.first_warp) < self.warps
    }

    pub fn is_own_grid(&self, past: Past) -> bool {
        self.order.grid_of(past.warp) == self.id.0
    }

    /// Whether the blocks of its grid are in clusters of more than one.
    pub fn has_clusters(&self) -> bool {
        self.order.has_clusters(self.id.0)
    }

    /// Whether a past access is by a block of the same cluster of several.
    fn is_own_cluster(&self, past: Past) -> bool {
        let order = self.order;
        self.has_clusters() && {
            let (block, _) = order.locate(past.warp);
            block.0 == self.id.0 && order.cluster_of(block) == order.cluster_of(self.id)
        }
    }

    /// The narrowest scope that includes this thread and that of the past access.
    pub fn scope_with(&self, past: Past) -> Scope {
        let order = self.order;
        let is_other_device = || order.device_of(order.grid_of(past.warp)) != order.device_of(self.id.0);
        if self.is_own_block(past) {
            Scope::Cta
        } else if self.is_own_cluster(past) {
            Scope::Cluster
        } else if order.devices > 1 && is_other_device() {
            Scope::System
        } else {
            Scope::Gpu
        }
    }

    /// The narrowest scope that includes the threads of any other block.
    pub fn scope_with_others(&self) -> Scope {
        if self.order.devices > 1 { Scope::System } else { Scope::Gpu }
    }
}
