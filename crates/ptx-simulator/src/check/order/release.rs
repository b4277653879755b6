//! Releases and acquires: what threads learn of each other through locations in memory (PTX ISA 8.8, 8.9.4).
//!
//! A release pattern is a fence and then a strong write, or a `.release`; an acquire pattern a strong read of
//! what has been written there and then a fence, or an `.acquire`. They synchronise only at scopes that
//! include both threads: a release for the block is known in its block alone, and a reader whose access or
//! fence is for its block alone learns nothing of other blocks. The like holds of a cluster, and, where
//! several devices take part, of a device: only scope sys includes the threads of another. On one device
//! scope gpu is as good, and is taken for it.

use rustc_hash::{FxHashMap, FxHashSet};

use super::clock::Partial;
use super::known::{Acquired, Known, Seen, Whose, heap, learn, learn_all};
use super::{BlockId, ClusterId, Here, Order, Past, Time};
use crate::arith::{WARP, lanes};
use crate::observe::Actor;
use crate::ptx::Scope;

/// A location that threads synchronise through: an address in global memory, or in a block's shared memory.
pub type Location = (Option<BlockId>, u64);

/// A point in a thread's program, kept after the thread has gone on: a release, or a launch.
#[derive(Clone, Debug)]
pub struct Point {
    pub grid: u32,
    pub block: u64,
    pub warp: u32,
    pub lane: u8,
    pub time: Time,
    pub barrier: Time,
    pub row: Option<Box<[Time; WARP]>>,
    pub partial: Vec<Partial>,
    pub known: Known,
    pub children: u32,
}

impl Point {
    /// Bytes that it takes, itself and on the heap.
    pub fn bytes(&self) -> usize {
        let row = self.row.as_ref().map_or(0, |row| size_of_val(&**row));
        let partial = self.partial.iter().map(Partial::bytes).sum::<usize>();
        size_of::<Point>() + row + partial + heap(&self.known)
    }
}

/// Numbers of entries of one thread: all, those for more than its block where there are clusters, those for
/// more than its block or cluster where there are several devices, and those for everybody. The last that is
/// known says all that the earlier ones do.
#[derive(Debug, Default)]
struct OfThread {
    all: Vec<u32>,
    cluster: Vec<u32>,
    device: Vec<u32>,
    wide: Vec<u32>,
}

/// By warp and lane.
type OfThreads = FxHashMap<(u32, u8), OfThread>;

/// Bytes that the numbers of an entry take in the lists of its thread.
const NUMBERS: usize = 4 * size_of::<u64>();

/// Bytes that a thread takes in a table, which is half empty when it has grown.
const OF_THREAD: usize = 2 * size_of::<((u32, u8), OfThread)>();

/// The releases to one location, in their order.
#[derive(Debug, Default)]
pub struct Log {
    entries: Vec<Point>,
    by_block: FxHashMap<BlockId, Box<OfThreads>>,
    /// What all entries up to this one that are for more than their block know of other logs.
    known: Vec<Known>,
    /// The blocks with an entry that is for their own threads alone.
    narrow: FxHashSet<BlockId>,
    /// The clusters with an entry that is for their own threads alone.
    of_clusters: FxHashSet<ClusterId>,
}

impl Log {
    /// Bytes that are set aside for entries to come.
    fn spare(&self) -> usize {
        (self.entries.capacity() - self.entries.len()) * size_of::<Point>()
            + (self.known.capacity() - self.known.len()) * size_of::<Known>()
    }

    /// The last entry of each thread of a block, which is in `cluster` and runs on `device`, among those that
    /// have been acquired.
    fn last_of(
        &self,
        block: BlockId,
        (cluster, device): (ClusterId, u32),
        acquired: Acquired,
    ) -> impl Iterator<Item = &Point> {
        let is_meant = match acquired.of {
            Whose::Block(of) => of == block,
            Whose::Cluster(of) => of == cluster,
            Whose::Device(of) => of == device,
            Whose::All => true,
            Whose::Barrier | Whose::Grids => false,
        };
        let of_block = self.by_block.get(&block).filter(|_| is_meant);
        of_block.into_iter().flat_map(|threads| threads.values()).filter_map(move |thread| {
            let numbers = match acquired.of {
                Whose::Block(_) | Whose::Barrier | Whose::Grids => &thread.all,
                Whose::Cluster(_) => &thread.cluster,
                Whose::Device(_) => &thread.device,
                Whose::All => &thread.wide,
            };
            let known = numbers.partition_point(|number| *number < acquired.upto);
            Some(&self.entries[numbers[known.checked_sub(1)?] as usize])
        })
    }
}

/// How far a thread is from having acquired a past access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gap {
    /// It has seen the flag, but has no fence behind it.
    Fence,
    /// It has one, at a scope that does not include the other thread.
    Scope,
}

impl Here<'_> {
    /// What a lane knows, if it releases it. A fence that releases has acquired what was seen before it;
    /// where there is none, the other side is asked for a fence, not this one.
    pub fn knows(&self, lane: usize) -> Known {
        let warp = self.warp - self.first_warp;
        let thread = self.clock.threads.get(warp as usize * WARP + lane);
        let mut known = self.clock.known.clone();
        let seen = self.clock.seen.iter().chain(thread.iter().flat_map(|thread| &thread.seen));
        seen.for_each(|seen| learn_all(&mut known, &self.order.with_them(seen.what)));
        if let Some(thread) = thread {
            learn_all(&mut known, &thread.known);
        }
        known
    }
}

impl Order {
    /// What else is known with some releases: what those who released there knew.
    fn with_them(&self, acquired: Acquired) -> Known {
        if acquired.of == Whose::Barrier {
            return self.met_there(acquired);
        }
        let log = &self.logs[acquired.log as usize];
        let mut known = Known::new();
        let mut learn_of = |block: BlockId| {
            let points = log.last_of(block, self.whereabouts(block), acquired);
            points.for_each(|point| learn_all(&mut known, &point.known));
        };
        match acquired.of {
            Whose::All => known = log.known[acquired.upto as usize - 1].clone(),
            Whose::Block(block) => learn_of(block),
            _ => log.by_block.keys().for_each(|block| learn_of(*block)),
        };
        learn(&mut known, acquired);
        known
    }

    /// Scope gpu includes everybody where there is one device, and a block that is in no cluster is one by
    /// itself.
    fn reach(&self, grid: u32, scope: Scope) -> Scope {
        match scope {
            Scope::Gpu if self.devices <= 1 => Scope::System,
            Scope::Cluster if !self.has_clusters(grid) => Scope::Cta,
            scope => scope,
        }
    }

    /// The cluster and the device of a block.
    fn whereabouts(&self, block: BlockId) -> (ClusterId, u32) {
        (self.cluster_of(block), self.device_of(block.0))
    }

    pub fn fence(&mut self, actor: Actor, mask: u32, scope: Scope) {
        let time = self.clock(actor).tick();
        let scope = self.reach(actor.grid, scope);
        let enough = |seen: &Seen| match seen.what.of {
            Whose::Block(_) | Whose::Barrier | Whose::Grids => true,
            Whose::Cluster(_) => scope >= Scope::Cluster,
            Whose::Device(_) => scope >= Scope::Gpu,
            Whose::All => scope == Scope::System,
        };
        for lane in lanes(mask) {
            let clock = self.clock(actor);
            let shared = clock.seen.clone();
            let thread = clock.thread(actor.warp, lane);
            thread.fences[scope as usize] = time;
            Seen::add(&mut thread.seen, &shared);
            let seen = std::mem::take(&mut thread.seen);
            let mut known = Known::new();
            for seen in seen.iter().filter(|seen| enough(seen)) {
                learn_all(&mut known, &self.with_them(seen.what));
            }
            let thread = self.clock(actor).thread(actor.warp, lane);
            learn_all(&mut thread.known, &known);
            let rest = seen.iter().filter(|seen| !enough(seen));
            thread.seen = rest.map(|seen| Seen { narrow: true, ..*seen }).collect();
        }
    }

    /// `lane` reads `location` by a strong access of `scope`: it learns what has been released there, at once
    /// if the access `acquires` by itself, else with its next fence.
    pub fn acquire(&mut self, actor: Actor, lane: usize, location: Location, scope: Scope, acquires: bool) {
        let Some(&log) = self.log_of.get(&location) else { return };
        let upto = self.logs[log as usize].entries.len() as u32;
        let block = (actor.grid, actor.block);
        let own = Acquired { log, of: Whose::Block(block), upto };
        // Other blocks reach what is in shared memory only in a cluster.
        let clusters = self.has_clusters(actor.grid);
        let scope = if location.0.is_none() || clusters { self.reach(actor.grid, scope) } else { Scope::Cta };
        let wide = (scope == Scope::System).then_some(Acquired { of: Whose::All, ..own });
        let near = (scope >= Scope::Gpu && self.devices > 1)
            .then_some(Acquired { of: Whose::Device(self.device_of(block.0)), ..own });
        let cluster = self.cluster_of(block);
        let of_cluster = scope >= Scope::Cluster
            && clusters
            && (wide.is_none() || self.logs[log as usize].of_clusters.contains(&cluster));
        let of_cluster = of_cluster.then_some(Acquired { of: Whose::Cluster(cluster), ..own });
        // Mostly the wider one says it all. Kept beside it, the other would grow with the number of blocks.
        let own = (wide.is_none() || self.logs[log as usize].narrow.contains(&block)).then_some(own);
        for what in own.into_iter().chain(of_cluster).chain(near).chain(wide) {
            let more = if acquires { self.with_them(what) } else { Known::new() };
            let thread = self.clock(actor).thread(actor.warp, lane);
            match acquires {
                true => learn_all(&mut thread.known, &more),
                false => Seen::add(&mut thread.seen, &[Seen { what, narrow: false }]),
            }
        }
    }

    /// `lane` writes `location` by a strong access of `scope`: it releases what is before its last fence, or,
    /// if the access `releases` by itself, all that is before now.
    pub fn release(&mut self, actor: Actor, lane: usize, location: Location, scope: Scope, releases: bool) {
        let scope = self.reach(actor.grid, scope);
        let clusters = self.has_clusters(actor.grid);
        let cluster = self.cluster_of((actor.grid, actor.block));
        let clock = self.clock(actor);
        let thread = clock.threads.get(actor.warp as usize * WARP + lane);
        let [of_block, of_cluster, of_device, of_all] = thread.map_or([0; 4], |thread| thread.fences);
        // The widest scope for which there is something to release.
        let candidates = [
            (Scope::System, of_all),
            (Scope::Gpu, of_device),
            (Scope::Cluster, of_cluster),
            (Scope::Cta, of_block),
        ];
        let (reach, upto) = match candidates.iter().find(|(_, time)| *time > 0) {
            _ if releases => (scope, clock.tick()),
            Some((fence, time)) => (scope.min(*fence), *time),
            None => return,
        };
        let point = self.point(actor, lane, upto);
        let number = *self.log_of.entry(location).or_insert_with(|| {
            self.logs.push(Log::default());
            self.logs.len() as u32 - 1
        });
        let log = &mut self.logs[number as usize];
        let mut known = log.known.last().cloned().unwrap_or_default();
        let entry = log.entries.len() as u32;
        let block = log.by_block.entry((actor.grid, actor.block)).or_default();
        let threads = block.len();
        let thread = block.entry((point.warp, point.lane)).or_default();
        thread.all.push(entry);
        if clusters && reach > Scope::Cta {
            thread.cluster.push(entry);
        }
        match reach {
            Scope::Cta => _ = log.narrow.insert((actor.grid, actor.block)),
            Scope::Cluster => _ = log.of_clusters.insert(cluster),
            Scope::Gpu => thread.device.push(entry),
            Scope::System => {
                if self.devices > 1 {
                    thread.device.push(entry);
                }
                thread.wide.push(entry);
                let others = point.known.iter().filter(|one| (one.log, one.of) != (number, Whose::All));
                others.for_each(|one| learn(&mut known, *one));
            }
        }
        let new_thread = block.len() > threads;
        self.bytes -= log.spare();
        self.bytes += point.bytes() + size_of::<Known>() + heap(&known) + NUMBERS;
        self.bytes += if new_thread { OF_THREAD } else { 0 };
        log.entries.push(point);
        log.known.push(known);
        self.bytes += log.spare();
    }

    pub fn point(&mut self, actor: Actor, lane: usize, time: Time) -> Point {
        let here = self.here(actor);
        let clock = here.clock;
        let thread = clock.threads.get(actor.warp as usize * WARP + lane);
        let known = here.knows(lane);
        Point {
            grid: actor.grid,
            block: actor.block,
            warp: here.warp,
            lane: lane as u8,
            time,
            barrier: clock.barrier.min(time),
            row: clock.row(actor.warp, lane).map(|row| Box::new(*row)),
            partial: clock.partial.clone(),
            known,
            children: thread.map_or(0, |thread| thread.children).max(clock.children),
        }
    }

    /// Whether some release that is known comes after an access in `block`. What is known is closed: it holds
    /// what the releasing threads knew.
    pub fn is_known(&self, past: Past, block: BlockId, known: &[Acquired], depth: u32) -> bool {
        known.iter().any(|acquired| {
            if acquired.of == Whose::Barrier {
                return self.is_before_round(past, block, *acquired);
            }
            if acquired.of == Whose::Grids {
                return block.0 < acquired.upto;
            }
            let log = &self.logs[acquired.log as usize];
            let mut points = log.last_of(block, self.whereabouts(block), *acquired);
            points.any(|point| self.before_directly(past, point, depth + 1))
        })
    }

    /// What is missing for a past access to be known by what has been seen.
    pub fn gap(&self, past: Past, block: BlockId, seen: &[Seen]) -> Option<Gap> {
        let known = seen.iter().filter(|seen| self.is_known(past, block, &self.with_them(seen.what), 0));
        known.map(|seen| if seen.narrow { Gap::Scope } else { Gap::Fence }).min()
    }
}
