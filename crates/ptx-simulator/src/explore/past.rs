//! What each thread must have behind it: the operations without which it could not be where it is.
//!
//! That is more than memory's order (`check/order/`): whatever makes a thread wait counts, and so does every
//! operation that has made a difference to one of its own. Two operations of which neither is in the other's
//! past could have changed places.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::operation::{BlockId, Process};
use super::set::Set;
use crate::arith::{WARP, lanes};
use crate::device::count_in;
use crate::observe::{After, Start};

#[derive(Debug)]
struct Grid {
    parent: Option<u32>,
    threads: usize,
    /// What its threads have behind them from the start.
    known: Rc<Set>,
    /// Its operations so far, with all that is behind them.
    done: Set,
}

/// Lanes that have come to a barrier of their block.
#[derive(Debug)]
struct Arrival {
    barrier: u32,
    warp: u32,
    mask: u32,
    /// Whether they wait there; else they go on (`barrier.arrive`).
    waits: bool,
}

#[derive(Debug, Default)]
pub struct Past {
    grids: Vec<Grid>,
    /// Of the threads of each block, by their numbers.
    threads: FxHashMap<BlockId, Vec<Rc<Set>>>,
    arrivals: FxHashMap<BlockId, Vec<Arrival>>,
    /// Of the launching threads, by the launches' numbers.
    launches: Vec<Rc<Set>>,
}

impl Past {
    /// A grid starts; grids come in the order of their numbers.
    pub fn grid(&mut self, start: &Start) {
        let known = match start.after {
            After::Host => Rc::default(),
            After::Dependent => Rc::new(self.of_grids(|_| true)),
            After::Launch { launch } => self.launches.get(launch as usize).cloned().unwrap_or_default(),
            After::Stream { launch, previous } => {
                let mut known =
                    self.launches.get(launch as usize).map_or(Set::default(), |set| (**set).clone());
                if let Some(previous) = previous {
                    known.join(&self.below(previous));
                }
                Rc::new(known)
            }
            After::Parent => Rc::new(start.parent.map_or(Set::default(), |parent| self.below(parent))),
        };
        let threads = count_in(start.config.block_dim) as usize;
        self.grids.push(Grid { parent: start.parent, threads, known, done: Set::default() });
    }

    /// All of a grid, and of those that were launched below it.
    fn below(&self, root: u32) -> Set {
        let mut all = self.of_grids(|grid| self.is_within(grid, root));
        all.join(&self.grids[root as usize].known);
        all
    }

    fn of_grids(&self, is_one: impl Fn(u32) -> bool) -> Set {
        let mut all = Set::default();
        for (number, grid) in (0..).zip(&self.grids) {
            if is_one(number) {
                all.join(&grid.done);
            }
        }
        all
    }

    fn is_within(&self, grid: u32, root: u32) -> bool {
        let mut at = Some(grid);
        while let Some(number) = at {
            if number == root {
                return true;
            }
            at = self.grids[number as usize].parent;
        }
        false
    }

    fn threads_of(&mut self, (grid, block): BlockId) -> &mut Vec<Rc<Set>> {
        let Grid { threads, known, .. } = &self.grids[grid as usize];
        self.threads.entry((grid, block)).or_insert_with(|| vec![known.clone(); *threads])
    }

    /// What lanes of a warp have behind them, together.
    pub fn of(&mut self, process: Process, mask: u32) -> Set {
        let first = process.warp as usize * WARP;
        let threads = self.threads_of(process.block_id());
        let mut all = Set::default();
        let mut last = Rc::default();
        for lane in lanes(mask) {
            let Some(known) = threads.get(first + lane) else { break };
            // Lanes of a warp mostly have the same behind them.
            if !Rc::ptr_eq(known, &last) {
                all.join(known);
                last = known.clone();
            }
        }
        all
    }

    /// Lanes of a warp have this behind them now.
    pub fn set(&mut self, process: Process, mask: u32, known: Set) {
        let first = process.warp as usize * WARP;
        let known = Rc::new(known);
        let threads = self.threads_of(process.block_id());
        for lane in lanes(mask) {
            if let Some(thread) = threads.get_mut(first + lane) {
                *thread = known.clone();
            }
        }
    }

    /// An operation has been done, with this behind it and itself.
    pub fn done(&mut self, process: Process, mask: u32, known: Set) {
        self.grids[process.grid as usize].done.join(&known);
        self.set(process, mask, known);
    }

    /// Lanes of a warp wait for each other.
    pub fn meet(&mut self, process: Process, mask: u32) {
        let known = self.of(process, mask);
        self.set(process, mask, known);
    }

    pub fn arrives(&mut self, process: Process, mask: u32, barrier: u32, waits: bool) {
        let arrival = Arrival { barrier, warp: process.warp, mask, waits };
        self.arrivals.entry(process.block_id()).or_default().push(arrival);
    }

    /// A barrier of a block opens.
    pub fn barrier_opens(&mut self, (grid, block): BlockId, barrier: u32) {
        let Some(arrivals) = self.arrivals.get_mut(&(grid, block)) else { return };
        let come: Vec<Arrival> = arrivals.extract_if(.., |arrival| arrival.barrier == barrier).collect();
        let process = |warp| Process { grid, block, warp, lane: 0 };
        let mut all = Set::default();
        for arrival in &come {
            all.join(&self.of(process(arrival.warp), arrival.mask));
        }
        for arrival in come.iter().filter(|arrival| arrival.waits) {
            self.set(process(arrival.warp), arrival.mask, all.clone());
        }
    }

    /// The barrier of these blocks' cluster opens.
    pub fn cluster_opens(&mut self, grid: u32, blocks: impl Iterator<Item = u64> + Clone) {
        let mut all = Set::default();
        for block in blocks.clone() {
            for thread in self.threads_of((grid, block)) {
                all.join(thread);
            }
        }
        let all = Rc::new(all);
        for block in blocks {
            self.threads_of((grid, block)).fill(all.clone());
        }
    }

    /// A lane launches a grid; launches come in the order of their numbers.
    pub fn launch(&mut self, process: Process) {
        let known = self.of(process, 1 << process.lane);
        self.launches.push(Rc::new(known));
    }

    /// Lanes have waited for the children of their block, or for the grids before their own.
    pub fn grids_done(&mut self, process: Process, mask: u32) {
        let mut known = self.of(process, mask);
        known.join(&self.of_grids(|grid| grid != process.grid));
        self.set(process, mask, known);
    }
}
