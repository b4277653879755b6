//! What is ordered before what: the happens-before relation that races are judged by.
//!
//! PTX ISA chapter 8 ("Memory Consistency Model") and the CUDA C++ Programming Guide, "CUDA Dynamic
//! Parallelism". One access is before another if they are connected by
//! - program order of a thread;
//! - a block barrier, for the threads that take part;
//! - `bar.warp.sync`, for the lanes it names (votes and shuffles order nothing);
//! - a release pattern and an acquire pattern (8.8, 8.9.4): a fence (or `.release`) and then a strong write
//!   to some location, which a strong read (or `.acquire`) of that location has seen, and then a fence, at
//!   scopes that include both threads. Where only the last fence is missing, the answer is
//!   [`Before::Unfenced`]. An atomic without a result (`red`) is no such read;
//! - the launch of a grid, for what is before the launch in the launching thread;
//! - the end of a grid: a tail launch and what follows in a stream come after all of it, children included.
//!
//! Time counts the events that order something. An access has the time at which it happened; it is before a
//! barrier of its block if its time is smaller than the barrier's, and so on. So no access needs a clock of
//! its own.

use rustc_hash::FxHashMap;

use crate::arith::WARP;
use crate::observe::{After, Start};
use crate::ptx::Scope;

pub type Time = u32;

/// Partial barriers (of some warps only) that a block remembers.
const PARTIAL: usize = 64;

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
    pub parent: Option<u32>,
    pub first_warp: u32,
    pub warps_a_block: u32,
    pub block_dim: [u32; 3],
    pub grid_dim: [u32; 3],
    start: Time,
    after: After,
}

/// Release logs that have been acquired, each up to some entry.
type Known = Vec<(u32, u32)>;

fn learn(known: &mut Known, log: u32, upto: u32) {
    match known.iter_mut().find(|(l, _)| *l == log) {
        Some((_, entries)) => *entries = upto.max(*entries),
        None => known.push((log, upto)),
    }
}

fn learn_all(known: &mut Known, more: &Known) {
    for (log, upto) in more {
        learn(known, *log, *upto);
    }
}

/// Whether an access that has happened is before what a thread does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    No,
    /// The thread has seen the flag that orders the two, but has no fence behind it.
    Unfenced,
    Yes,
}

/// What a thread has done and learnt since the last barrier of its block.
#[derive(Clone, Debug, Default)]
struct ThreadClock {
    known: Known,
    /// What has been seen by strong reads, without a fence since.
    seen: Known,
    /// Its last fence of each scope.
    fences: [Time; 3],
    children: Time,
}

/// The rows say, for each lane, up to when it has seen each other lane.
type Rows = Box<[[Time; WARP]; WARP]>;

/// A barrier of some of the block's warps: when, and which lanes.
#[derive(Clone, Debug)]
struct Partial {
    time: Time,
    members: Vec<u32>,
    /// Earlier barriers that some of the members have passed, and those before them.
    earlier: Vec<(Time, Vec<u32>)>,
}

/// The order within a block that is under way.
#[derive(Debug, Default)]
pub struct BlockClock {
    /// The last barrier of the whole block.
    pub barrier: Time,
    partial: Vec<Partial>,
    rows: Vec<Option<Rows>>,
    arrivals: Vec<(u32, u32, u32)>,
    known: Known,
    seen: Known,
    children: Time,
    threads: FxHashMap<u32, ThreadClock>,
}

/// A point in a thread's program, kept after the thread has gone on: a release, or a launch.
#[derive(Clone, Debug)]
struct Point {
    grid: u32,
    block: u64,
    warp: u32,
    lane: u8,
    time: Time,
    barrier: Time,
    row: Option<Box<[Time; WARP]>>,
    partial: Vec<Partial>,
    known: Known,
    children: Time,
}

/// Numbers of entries, by warp and lane.
type ByThread = FxHashMap<(u32, u8), Vec<u32>>;

/// The releases to one location, in their order.
#[derive(Debug, Default)]
struct Log {
    entries: Vec<(Point, Scope)>,
    /// Their numbers, by block and by thread: the last that is known of a thread says all that the earlier
    /// ones do.
    by_block: FxHashMap<(u32, u64), ByThread>,
    /// What all entries up to this one know of other logs.
    known: Vec<Known>,
}

/// A location that threads synchronise through: an address in global memory, or in a block's shared memory.
pub type Location = (Option<(u32, u64)>, u64);

#[derive(Debug, Default)]
pub struct Order {
    now: Time,
    warps: u32,
    pub grids: Vec<Grid>,
    blocks: FxHashMap<(u32, u64), BlockClock>,
    launches: Vec<Point>,
    logs: Vec<Log>,
    log_of: FxHashMap<Location, u32>,
}

/// A thread and the block it belongs to, at this moment.
#[derive(Clone, Copy)]
pub struct Here<'a> {
    order: &'a Order,
    clock: &'a BlockClock,
    grid: u32,
    block: u64,
    first_warp: u32,
    warps: u32,
    pub warp: u32,
}

impl Order {
    #[inline]
    pub fn now(&self) -> Time {
        self.now
    }

    fn tick(&mut self) -> Time {
        self.now += 1;
        self.now
    }

    /// A grid starts; grids come in the order of their numbers.
    pub fn grid(&mut self, start: &Start) {
        let (bx, by, bz) = start.config.block_dim;
        let (gx, gy, gz) = start.config.grid_dim;
        let warps_a_block = (bx * by * bz).div_ceil(WARP as u32);
        let first_warp = self.warps;
        let blocks = gx as u64 * gy as u64 * gz as u64;
        self.warps = self.warps.saturating_add((blocks * warps_a_block as u64).min(u32::MAX as u64) as u32);
        let time = self.tick();
        self.grids.push(Grid {
            parent: start.parent,
            first_warp,
            warps_a_block,
            block_dim: [bx, by, bz],
            grid_dim: [gx, gy, gz],
            start: time,
            after: start.after,
        });
    }

    pub fn block_end(&mut self, grid: u32, block: u64) {
        self.blocks.remove(&(grid, block));
    }

    fn clock(&mut self, grid: u32, block: u64) -> &mut BlockClock {
        self.blocks.entry((grid, block)).or_default()
    }

    /// The block of an actor, for questions about what is before it.
    #[inline]
    pub fn here(&mut self, grid: u32, block: u64, warp: u32) -> Here<'_> {
        self.clock(grid, block);
        let info = &self.grids[grid as usize];
        let first_warp = info.first_warp + block as u32 * info.warps_a_block;
        let warps = info.warps_a_block;
        let order = &*self;
        Here {
            order,
            clock: &order.blocks[&(grid, block)],
            grid,
            block,
            first_warp,
            warps,
            warp: first_warp + warp,
        }
    }

    pub fn arrives(&mut self, grid: u32, block: u64, warp: u32, mask: u32, id: u32) {
        self.clock(grid, block).arrivals.push((id, warp, mask));
    }

    pub fn barrier_opens(&mut self, grid: u32, block: u64, id: u32, all: bool) {
        let time = self.tick();
        let clock = self.clock(grid, block);
        if all {
            clock.barrier = time;
            clock.partial.clear();
            for thread in clock.threads.values_mut() {
                learn_all(&mut clock.known, &std::mem::take(&mut thread.known));
                learn_all(&mut clock.seen, &std::mem::take(&mut thread.seen));
                clock.children = clock.children.max(thread.children);
            }
            clock.arrivals.retain(|arrival| arrival.0 != id);
            return;
        }
        let mut members = Vec::new();
        for (_, warp, mask) in clock.arrivals.extract_if(.., |arrival| arrival.0 == id) {
            if members.len() <= warp as usize {
                members.resize(warp as usize + 1, 0);
            }
            members[warp as usize] |= mask;
        }
        let threads: Vec<u32> = (0..members.len() as u32 * 32)
            .filter(|thread| members[*thread as usize / 32] >> (thread % 32) & 1 == 1)
            .collect();
        clock.share(&threads);
        let meet = |other: &[u32]| members.iter().zip(other).any(|(a, b)| a & b != 0);
        let mut earlier: Vec<(Time, Vec<u32>)> = Vec::new();
        for partial in clock.partial.iter().filter(|partial| meet(&partial.members)) {
            let passed = partial.earlier.iter().cloned().chain([(partial.time, partial.members.clone())]);
            for barrier in passed {
                if !earlier.iter().any(|(time, _)| *time == barrier.0) {
                    earlier.push(barrier);
                }
            }
        }
        earlier.drain(..earlier.len().saturating_sub(PARTIAL));
        if clock.partial.len() == PARTIAL {
            clock.partial.remove(0);
        }
        clock.partial.push(Partial { time, members, earlier });
    }

    pub fn warp_barrier(&mut self, grid: u32, block: u64, warp: u32, mask: u32) {
        let time = self.tick();
        let clock = self.clock(grid, block);
        if clock.rows.len() <= warp as usize {
            clock.rows.resize_with(warp as usize + 1, || None);
        }
        let rows = clock.rows[warp as usize].get_or_insert_with(|| Box::new([[0; WARP]; WARP]));
        let named = |lane: usize| mask >> lane & 1 == 1;
        let mut merged = [0; WARP];
        for (lane, row) in rows.iter().enumerate().filter(|(lane, _)| named(*lane)) {
            for (to, from) in merged.iter_mut().zip(row) {
                *to = (*from).max(*to);
            }
            merged[lane] = time;
        }
        for (lane, seen) in merged.iter_mut().enumerate() {
            *seen = if named(lane) { time } else { *seen };
        }
        for (lane, row) in rows.iter_mut().enumerate() {
            if named(lane) {
                *row = merged;
            }
        }
        let threads: Vec<u32> =
            (0..32).filter(|lane| named(*lane as usize)).map(|lane| warp * 32 + lane).collect();
        clock.share(&threads);
    }

    pub fn fence(&mut self, grid: u32, block: u64, warp: u32, mask: u32, scope: Scope) {
        let time = self.tick();
        let clock = self.clock(grid, block);
        for lane in crate::arith::lanes(mask) {
            let BlockClock { threads, seen, .. } = &mut *clock;
            let thread = threads.entry(warp * 32 + lane as u32).or_default();
            thread.fences[scope as usize] = time;
            learn_all(&mut thread.known, seen);
            let own = std::mem::take(&mut thread.seen);
            learn_all(&mut thread.known, &own);
        }
    }

    /// `lane` reads `location` by a strong access: it learns what has been released there, at once if the
    /// access `acquires` by itself, else with its next fence.
    pub fn acquire(
        &mut self,
        grid: u32,
        block: u64,
        warp: u32,
        lane: usize,
        location: Location,
        acquires: bool,
    ) {
        let Some(&log) = self.log_of.get(&location) else { return };
        let entries = &self.logs[log as usize];
        let upto = entries.entries.len() as u32;
        // What those who released there knew of other locations is known too.
        let more = entries.known.last().cloned().unwrap_or_default();
        let thread = self.clock(grid, block).threads.entry(warp * 32 + lane as u32).or_default();
        let known = if acquires { &mut thread.known } else { &mut thread.seen };
        learn(known, log, upto);
        learn_all(known, &more);
    }

    /// `lane` writes `location` by a strong access of `scope`: it releases what is before its last fence, or,
    /// if the access `releases` by itself, all that is before now.
    #[allow(clippy::too_many_arguments)]
    pub fn release(
        &mut self,
        grid: u32,
        block: u64,
        warp: u32,
        lane: usize,
        location: Location,
        scope: Scope,
        releases: bool,
    ) {
        let time = if releases { self.tick() } else { 0 };
        let thread = self.clock(grid, block).threads.get(&(warp * 32 + lane as u32));
        let fences = thread.map_or([0; 3], |thread| thread.fences);
        // The widest scope for which there is something to release.
        let candidates =
            [(Scope::System, fences[2]), (Scope::Gpu, fences[1].max(fences[2])), (Scope::Cta, fences[0])];
        let (reach, upto) = match candidates.iter().find(|(_, time)| *time > 0) {
            _ if releases => (scope, time),
            Some((fence, time)) => (scope.min(*fence), *time),
            None => return,
        };
        let point = self.point(grid, block, warp, lane, upto);
        let number = *self.log_of.entry(location).or_insert_with(|| {
            self.logs.push(Log::default());
            self.logs.len() as u32 - 1
        });
        let log = &mut self.logs[number as usize];
        let mut known = log.known.last().cloned().unwrap_or_default();
        for (other, upto) in &point.known {
            if *other != number {
                learn(&mut known, *other, *upto);
            }
        }
        let threads = log.by_block.entry((grid, block)).or_default();
        threads.entry((point.warp, point.lane)).or_default().push(log.entries.len() as u32);
        log.entries.push((point, reach));
        log.known.push(known);
    }

    /// Launch number `launch` is made by `lane`.
    pub fn launch(&mut self, grid: u32, block: u64, warp: u32, lane: usize) {
        let time = self.tick();
        let point = self.point(grid, block, warp, lane, time);
        self.launches.push(point);
    }

    pub fn children_done(&mut self, grid: u32, block: u64, warp: u32, mask: u32) {
        let time = self.tick();
        let clock = self.clock(grid, block);
        for lane in crate::arith::lanes(mask) {
            clock.threads.entry(warp * 32 + lane as u32).or_default().children = time;
        }
    }

    fn point(&mut self, grid: u32, block: u64, warp: u32, lane: usize, time: Time) -> Point {
        let here = self.here(grid, block, warp);
        let clock = here.clock;
        let thread = clock.threads.get(&(warp * 32 + lane as u32));
        // A fence that releases has acquired what was seen before it; where there is none, the other side is
        // asked for a fence, not this one.
        let mut known = clock.known.clone();
        learn_all(&mut known, &clock.seen);
        if let Some(thread) = thread {
            learn_all(&mut known, &thread.known);
            learn_all(&mut known, &thread.seen);
        }
        Point {
            grid,
            block,
            warp: here.warp,
            lane: lane as u8,
            time,
            barrier: clock.barrier.min(time),
            row: clock.row(warp, lane).map(|row| Box::new(*row)),
            partial: clock.partial.clone(),
            known,
            children: thread.map_or(0, |thread| thread.children).max(clock.children),
        }
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
            self.is_known(past, grid, block, (point.grid, point.block), &point.known, depth)
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
            || self.in_children(past, grid, point.grid, point.block, point.children)
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
                After::Host => return false,
                After::Parent => {
                    let Some(parent) = grid.parent else { return false };
                    if past.time < grid.start && self.within(from, parent) {
                        return true;
                    }
                    if from == parent {
                        return false;
                    }
                    at = parent;
                }
                After::Launch { launch } => return self.before_launch(past, launch, depth),
                After::Stream { launch, previous } => {
                    let mut earlier = previous;
                    while let Some(number) = earlier {
                        if past.time < grid.start && self.within(from, number) {
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

    /// Whether some release that is known comes after the past access. What is known is closed: it holds what
    /// the releasing threads knew.
    fn is_known(&self, past: Past, grid: u32, block: u64, me: (u32, u64), known: &Known, depth: u32) -> bool {
        known.iter().any(|&(log, upto)| {
            let log = &self.logs[log as usize];
            let own = log.by_block.get(&(grid, block));
            own.into_iter().flat_map(FxHashMap::values).any(|entries| {
                let known = entries.partition_point(|entry| *entry < upto);
                known.checked_sub(1).is_some_and(|last| {
                    let (point, scope) = &log.entries[entries[last] as usize];
                    (*scope > Scope::Cta || me == (grid, block))
                        && self.before_directly(past, point, depth + 1)
                })
            })
        })
    }

    /// Whether the past access was made below a child of the block that the block has waited for.
    fn in_children(&self, past: Past, from: u32, grid: u32, block: u64, done: Time) -> bool {
        if past.time >= done || from == grid {
            return false;
        }
        let mut at = from;
        while let Some(parent) = self.grids[at as usize].parent {
            if parent == grid {
                let launch = match self.grids[at as usize].after {
                    After::Launch { launch } | After::Stream { launch, .. } => launch,
                    _ => return false,
                };
                return self.launches.get(launch as usize).is_some_and(|point| point.block == block);
            }
            at = parent;
        }
        false
    }
}

fn in_partial(partial: &[Partial], past: Past, past_warp: u32, warp: u32, lane: u8) -> bool {
    let member = |members: &[u32], warp: u32, lane: u8| {
        members.get(warp as usize).is_some_and(|mask| mask >> lane & 1 == 1)
    };
    let was_there = |time: Time, members: &[u32]| past.time < time && member(members, past_warp, past.lane);
    partial.iter().filter(|p| member(&p.members, warp, lane)).any(|p| {
        was_there(p.time, &p.members) || p.earlier.iter().any(|(time, members)| was_there(*time, members))
    })
}

impl BlockClock {
    fn row(&self, warp: u32, lane: usize) -> Option<&[Time; WARP]> {
        Some(&self.rows.get(warp as usize)?.as_ref()?[lane])
    }

    /// These threads have met: each knows what any of them knows.
    fn share(&mut self, threads: &[u32]) {
        let (mut known, mut seen) = (Known::new(), Known::new());
        let mut children = 0;
        for thread in threads.iter().filter_map(|thread| self.threads.get(thread)) {
            learn_all(&mut known, &thread.known);
            learn_all(&mut seen, &thread.seen);
            children = children.max(thread.children);
        }
        if known.is_empty() && seen.is_empty() && children == 0 {
            return;
        }
        for thread in threads {
            let clock = self.threads.entry(*thread).or_default();
            (clock.known, clock.seen) = (known.clone(), seen.clone());
            clock.children = children;
        }
    }
}

impl Here<'_> {
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
        // Whatever orders two threads takes time.
        if past.time < self.order.now { self.before_slowly(past, lane, same_block) } else { Before::No }
    }

    /// The same, where it does not matter whether the last fence is missing.
    #[inline]
    pub fn after(&self, past: Past, lane: usize) -> bool {
        self.before(past, lane) != Before::No
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
        let thread = self.clock.threads.get(&(warp * 32 + lane as u32));
        let me = (self.grid, self.block);
        let known = |known: &Known| self.order.is_known(past, grid, block, me, known, 0);
        let fenced = self.order.before_grid(past, grid, self.grid, 0)
            || known(&self.clock.known)
            || thread.is_some_and(|thread| known(&thread.known))
            || self.order.in_children(
                past,
                grid,
                self.grid,
                self.block,
                self.clock.children.max(thread.map_or(0, |thread| thread.children)),
            );
        match () {
            _ if fenced => Before::Yes,
            _ if known(&self.clock.seen) || thread.is_some_and(|thread| known(&thread.seen)) => {
                Before::Unfenced
            }
            _ => Before::No,
        }
    }
}
