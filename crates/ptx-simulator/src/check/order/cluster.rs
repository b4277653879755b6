//! The barrier of a cluster: who has arrived when, round by round.
//!
//! What a thread has done before it arrived, and what it knew, comes before all that the threads of the
//! cluster do after they have waited for that round (PTX ISA 9.7.13.4), unless it arrived by `.relaxed`. A
//! thread that has exited has arrived for good.

use super::known::{Acquired, Known, Whose, heap, learn, learn_all};
use super::{BlockId, ClusterId, Order, Past, Time};
use crate::arith::{WARP, lanes};
use crate::observe::Actor;

/// Lanes of a warp (counted over all grids) that arrived at this time of their block.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    warp: u32,
    mask: u32,
    time: Time,
    /// The last barrier of their block.
    barrier: Time,
    releases: bool,
}

/// One round.
#[derive(Debug, Default)]
struct Round {
    arrivals: Vec<Arrival>,
    /// What those who have arrived knew.
    known: Known,
}

/// The rounds of a cluster's barrier, and the one to come.
#[derive(Debug, Default)]
pub struct Rounds {
    over: Vec<Round>,
    next: Round,
}

impl Order {
    fn barrier_of(&mut self, cluster: ClusterId) -> u32 {
        *self.barrier_of.entry(cluster).or_insert_with(|| {
            self.barriers.push(Rounds::default());
            self.barriers.len() as u32 - 1
        })
    }

    pub fn cluster_arrive(&mut self, actor: Actor, mask: u32, releases: bool) {
        let cluster = self.cluster_of((actor.grid, actor.block));
        let number = self.barrier_of(cluster) as usize;
        let time = self.clock(actor).tick();
        let here = self.here(actor);
        let mut known = Known::new();
        if releases {
            lanes(mask).for_each(|lane| learn_all(&mut known, &here.knows(lane)));
        }
        let arrival = Arrival { warp: here.warp, mask, time, barrier: here.barrier(), releases };
        let next = &mut self.barriers[number].next;
        next.arrivals.push(arrival);
        learn_all(&mut next.known, &known);
    }

    pub fn cluster_opens(&mut self, cluster: ClusterId) {
        let number = self.barrier_of(cluster) as usize;
        let mut round = std::mem::take(&mut self.barriers[number].next);
        // Threads that have exited.
        for block in self.blocks_of(cluster) {
            let info = &self.grids[cluster.0 as usize];
            let (threads, first) = (info.threads(), info.first_warp + block as u32 * info.warps_a_block);
            let time = self.blocks.get_mut(&(cluster.0, block)).map_or(Time::MAX, |clock| clock.tick());
            for warp in 0..threads.div_ceil(WARP as u32) {
                let here = threads - warp * WARP as u32;
                let all = if here >= WARP as u32 { u32::MAX } else { (1 << here) - 1 };
                let of_warp = round.arrivals.iter().filter(|arrival| arrival.warp == first + warp);
                let mask = of_warp.fold(all, |mask, arrival| mask & !arrival.mask);
                if mask != 0 {
                    let (warp, releases) = (first + warp, true);
                    round.arrivals.push(Arrival { warp, mask, time, barrier: 0, releases });
                }
            }
        }
        self.bytes +=
            size_of::<Round>() + heap(&round.known) + round.arrivals.capacity() * size_of::<Arrival>();
        self.barriers[number].over.push(round);
    }

    /// Lanes have waited for the last round.
    pub fn cluster_wait(&mut self, actor: Actor, mask: u32) {
        let number = self.barrier_of(self.cluster_of((actor.grid, actor.block)));
        let upto = self.barriers[number as usize].over.len() as u32;
        let known = self.met_there(Acquired { log: number, of: Whose::Barrier, upto });
        let clock = self.clock(actor);
        lanes(mask).for_each(|lane| learn_all(&mut clock.thread(actor.warp, lane).known, &known));
    }

    /// What is known behind a round: it, and what those knew who arrived there.
    pub fn met_there(&self, acquired: Acquired) -> Known {
        let last = self.barriers[acquired.log as usize].over[..acquired.upto as usize].last();
        let mut known = last.map_or(Known::new(), |round| round.known.clone());
        learn(&mut known, acquired);
        known
    }

    /// Whether an access in `block` came before its thread arrived for the last of these rounds.
    pub fn is_before_round(&self, past: Past, (grid, block): BlockId, acquired: Acquired) -> bool {
        let info = &self.grids[grid as usize];
        let first = info.first_warp + block as u32 * info.warps_a_block;
        let is_of_block = |warp: u32| warp.wrapping_sub(first) < info.warps_a_block;
        // A relaxed arrival leaves it at what an earlier one has released.
        let rounds = self.barriers[acquired.log as usize].over[..acquired.upto as usize].iter().rev();
        for round in rounds {
            let of_block =
                || round.arrivals.iter().filter(|arrival| arrival.releases && is_of_block(arrival.warp));
            if of_block().any(|arrival| past.time < arrival.barrier) {
                return true;
            }
            let own =
                of_block().find(|arrival| arrival.warp == past.warp && arrival.mask >> past.lane & 1 == 1);
            match own {
                Some(arrival) => return past.time < arrival.time,
                None if round.arrivals.iter().any(|arrival| is_of_block(arrival.warp)) => {}
                None => return false,
            }
        }
        false
    }

    /// Whether what a block knows, all its threads together, includes an access by a thread of another one.
    pub fn knows_at_all(&self, id: BlockId) -> Known {
        let Some(clock) = self.blocks.get(&id) else { return Known::new() };
        let mut known = clock.known.clone();
        clock.threads.iter().for_each(|thread| learn_all(&mut known, &thread.known));
        known
    }
}
