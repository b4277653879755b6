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
    /// Whether the thread itself has seen it: a fence acquires what its own thread has read, and nothing that
    /// another one has handed on at a barrier (PTX ISA 8.8, "acquire patterns").
    pub is_own: bool,
    /// What is missing: a fence, or one that is wide enough.
    pub gap: Gap,
    pub clock: Clock,
}

impl Seen {
    pub fn add(all: &mut Vec<Seen>, new: Seen) {
        let kind = |seen: &Seen| (seen.needs, seen.gap, seen.is_own);
        match all.iter_mut().find(|one| kind(one) == kind(&new)) {
            Some(one) => one.clock.join(&new.clock),
            None => all.push(new),
        }
    }

    /// As the threads know it that a barrier hands it on to.
    fn handed_on(self) -> Seen {
        let gap = if self.gap == Gap::Fence { Gap::FenceElsewhere } else { self.gap };
        Seen { gap, is_own: false, ..self }
    }
}

/// The last fence of a scope that a thread has executed, and what the thread knew of others then.
#[derive(Clone, Debug)]
pub struct Fence {
    pub scope: Scope,
    pub time: Time,
    /// The last barrier of the block.
    pub barrier: Time,
    pub known: Clock,
}

/// What a thread has done and learnt since the last barrier of its block.
#[derive(Clone, Debug, Default)]
pub struct Thread {
    pub known: Clock,
    pub seen: Vec<Seen>,
    /// Its last fence of each scope that releases, if there is one.
    pub fences: Vec<Fence>,
    /// Its last release operations, by their locations: a later strong write there releases as much.
    pub releases: Vec<(Location, Scope, Clock)>,
    /// Where it has read last by a strong access, and what has been released there, with the scopes that this
    /// needs: an acquire operation there acquires as much.
    pub looked: Option<(Location, Vec<(Scope, Clock)>)>,
}

/// Release operations of a thread that are kept.
const RELEASES: usize = 4;

impl Thread {
    pub fn has_released(&mut self, location: Location, scope: Scope, known: Clock) {
        self.releases.retain(|release| release.0 != location);
        if self.releases.len() == RELEASES {
            self.releases.remove(0);
        }
        self.releases.push((location, scope, known));
    }

    pub fn looks(&mut self, location: Location, needs: Scope, clock: &Clock) {
        if self.looked.as_ref().is_none_or(|looked| looked.0 != location) {
            self.looked = Some((location, Vec::new()));
        }
        let Some((_, all)) = &mut self.looked else { return };
        match all.iter_mut().find(|one| one.0 == needs) {
            Some((_, known)) => known.join(clock),
            None => all.push((needs, clock.clone())),
        }
    }
}

/// Lanes of a warp that have arrived at a barrier.
#[derive(Debug)]
struct Arrival {
    id: u32,
    warp: u32,
    mask: u32,
    /// Of those that do not wait there (`bar.arrive`): when they came, and what they knew.
    left: Option<(Time, Clock)>,
}

#[derive(Debug, Default)]
pub struct Block {
    /// Of the block, counted over all grids.
    first_warp: u32,
    pub now: Time,
    /// The last barrier of the whole block.
    pub barrier: Time,
    arrivals: Vec<Arrival>,
    /// What all threads know of others, but for the barrier.
    pub known: Clock,
    pub seen: Vec<Seen>,
    /// By their numbers, as far as there is something to know.
    pub threads: Vec<Thread>,
    /// What its threads have released, and its own threads alone acquire here.
    pub released: FxHashMap<Location, (u32, Clock)>,
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

    /// Lanes arrive at barrier `id`, and wait there or go on.
    pub fn arrives(&mut self, warp: u32, mask: u32, id: u32, waits: bool) {
        let mut left = None;
        if !waits {
            let time = self.tick();
            let mut known = Clock::default();
            for lane in lanes(mask) {
                known.join(&self.thread(warp, lane).known);
            }
            left = Some((time, known));
        }
        self.arrivals.push(Arrival { id, warp, mask, left });
    }

    /// Barrier `id` opens, for all threads of the block that have not exited or for those that have arrived.
    pub fn barrier_opens(&mut self, id: u32, all: bool) {
        let arrivals: Vec<_> = self.arrivals.extract_if(.., |arrival| arrival.id == id).collect();
        if !all || arrivals.iter().any(|arrival| arrival.left.is_some()) {
            let waiting = arrivals.iter().filter(|arrival| arrival.left.is_none());
            let members: Vec<_> = waiting.map(|arrival| (arrival.warp, arrival.mask)).collect();
            let mut others = Clock::default();
            for arrival in &arrivals {
                if let Some((time, known)) = &arrival.left {
                    others.join(known);
                    others.learn(self.first_warp, View::of_lanes(arrival.warp, arrival.mask, *time));
                }
            }
            return self.meet_after(&members, others);
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
            for seen in &thread.seen {
                Seen::add(&mut self.seen, seen.clone().handed_on());
            }
            thread.seen.retain(|seen| seen.is_own);
        }
    }

    /// Lanes of some warps meet: each knows what any of them has done and known.
    pub fn meet(&mut self, members: &[(u32, u32)]) {
        self.meet_after(members, Clock::default());
    }

    /// The same behind others, of whom this much is known.
    fn meet_after(&mut self, members: &[(u32, u32)], others: Clock) {
        let time = self.tick();
        let mut met = Thread { known: others, ..Thread::default() };
        for &(warp, mask) in members {
            for lane in lanes(mask) {
                let Some(thread) = self.threads.get(warp as usize * WARP + lane) else { break };
                if !thread.known.is_same(&met.known) {
                    met.known.join(&thread.known);
                }
                for seen in &thread.seen {
                    Seen::add(&mut met.seen, seen.clone().handed_on());
                }
            }
        }
        let lanes_of = members.iter().map(|&(warp, mask)| (warp, mask, time)).collect();
        met.known.learn(self.first_warp, View { lanes: lanes_of, ..View::default() });
        for &(warp, mask) in members {
            for lane in lanes(mask) {
                let thread = self.thread(warp, lane);
                thread.known = met.known.clone();
                thread.seen.retain(|seen| seen.is_own);
                for seen in &met.seen {
                    Seen::add(&mut thread.seen, seen.clone());
                }
            }
        }
    }
}
