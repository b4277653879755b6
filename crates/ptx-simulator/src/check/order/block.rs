//! The order within a block that is under way: barriers of the block and of some of its threads, and what
//! these have learnt.

use rustc_hash::FxHashMap;

use super::clock::{Clock, Gap, Location, Time, View};
use crate::arith::{WARP, at, lanes};
use crate::ptx::Scope;

/// What has been seen by a strong read, and has not been acquired since.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The narrowest fence that acquires it.
    pub needs: Scope,
    /// What is missing: a fence, or one that is wide enough.
    pub gap: Gap,
    pub clock: Clock,
}

impl Seen {
    pub fn add(all: &mut Vec<Seen>, new: Seen) {
        match all.iter_mut().find(|one| (one.needs, one.gap) == (new.needs, new.gap)) {
            Some(one) => one.clock.join(&new.clock),
            None => all.push(new),
        }
    }
}

/// What a thread has done and learnt since the last barrier of its block.
#[derive(Clone, Debug, Default)]
pub struct Thread {
    pub known: Clock,
    pub seen: Vec<Seen>,
    /// Its last fence of each scope.
    pub fences: [Time; 4],
}

#[derive(Debug, Default)]
pub struct Block {
    /// Of the block, counted over all grids.
    first_warp: u32,
    pub now: Time,
    /// The last barrier of the whole block.
    pub barrier: Time,
    /// Who has arrived at which barrier: its number, the warp, and its lanes.
    arrivals: Vec<(u32, u32, u32)>,
    /// What all threads know of others, but for the barrier.
    pub known: Clock,
    pub seen: Vec<Seen>,
    /// By their numbers, as far as there is something to know.
    pub threads: Vec<Thread>,
    /// What its threads have released, and its own threads alone acquire here.
    pub released: FxHashMap<Location, Clock>,
    /// The line where another block has last written what a thread of this one has seen by a strong read.
    pub flag: Option<u32>,
}

impl Block {
    /// A block of a grid whose threads know this from the start.
    pub fn new(first_warp: u32, known: Clock) -> Block {
        Block { first_warp, now: 1, known, ..Block::default() }
    }

    pub fn tick(&mut self) -> Time {
        self.now += 1;
        self.now
    }

    pub fn thread(&mut self, warp: u32, lane: usize) -> &mut Thread {
        at(&mut self.threads, warp as usize * WARP + lane)
    }

    pub fn arrives(&mut self, warp: u32, mask: u32, id: u32) {
        self.arrivals.push((id, warp, mask));
    }

    /// Barrier `id` opens, for all threads of the block that have not exited or for those that have arrived.
    pub fn barrier_opens(&mut self, id: u32, all: bool) {
        let members: Vec<_> = self.arrivals.extract_if(.., |arrival| arrival.0 == id).collect();
        if !all {
            let members: Vec<_> = members.into_iter().map(|(_, warp, mask)| (warp, mask)).collect();
            return self.meet(&members);
        }
        self.barrier = self.tick();
        let mut last = Clock::default();
        for thread in &mut self.threads {
            // Lanes that have met before know the same.
            if !thread.known.is_same(&last) {
                self.known.join(&thread.known);
                last = thread.known.clone();
            }
            thread.known = Clock::default();
            for seen in thread.seen.drain(..) {
                Seen::add(&mut self.seen, seen);
            }
        }
    }

    /// Lanes of some warps meet: each knows what any of them has done and known.
    pub fn meet(&mut self, members: &[(u32, u32)]) {
        let time = self.tick();
        let mut met = Thread::default();
        for &(warp, mask) in members {
            for lane in lanes(mask) {
                let Some(thread) = self.threads.get(warp as usize * WARP + lane) else { break };
                if !thread.known.is_same(&met.known) {
                    met.known.join(&thread.known);
                }
                for seen in &thread.seen {
                    Seen::add(&mut met.seen, seen.clone());
                }
            }
        }
        let lanes_of = members.iter().map(|&(warp, mask)| (warp, mask, time)).collect();
        met.known.learn(self.first_warp, View { lanes: lanes_of, ..View::default() });
        for &(warp, mask) in members {
            for lane in lanes(mask) {
                let thread = self.thread(warp, lane);
                *thread = Thread { fences: thread.fences, ..met.clone() };
            }
        }
    }
}
