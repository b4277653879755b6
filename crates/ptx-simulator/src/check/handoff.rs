//! data-race where one side has waited at an mbarrier: which phase that was, and who had arrived in it.
//!
//! A wait that succeeds sees what those wrote before who have arrived in that phase (PTX ISA 9.7.13.15), and
//! nothing of any other thread.

use rustc_hash::{FxHashMap, FxHashSet};

use super::conflict::{Who, place_of};
use super::order::{BlockId, Time};
use crate::arith::lanes;
use crate::observe::{Access, Actor, MbarrierUse, Request};

/// Arrivals of a phase that are kept, and threads that have waited.
const MAX_ARRIVALS: usize = 1 << 11;
const MAX_WAITS: usize = 1 << 14;

/// An mbarrier: the block in whose shared memory it lies, and its offset there.
pub type Place = (BlockId, u64);

/// A phase of an mbarrier.
#[derive(Clone, Debug, Default)]
struct Phase {
    /// Counted from 0.
    number: u32,
    arrived: Vec<Who>,
}

/// A wait that has succeeded.
#[derive(Clone, Copy, Debug)]
struct Wait {
    mbarrier: Place,
    phase: u32,
    time: Time,
}

/// The phase that a thread has waited for, if it does not cover another thread.
#[derive(Clone, Copy, Debug)]
pub struct Uncovered {
    pub mbarrier: Place,
    pub phase: u32,
    /// How many arrivals there were, and the first of them.
    pub arrivals: u32,
    pub first: Who,
}

#[derive(Debug, Default)]
pub struct Handoffs {
    /// The last two phases of each, the present one last.
    phases: FxHashMap<Place, [Phase; 2]>,
    /// The last wait of each thread: its grid, block and number there.
    waits: FxHashMap<(u32, u64, u32), Wait>,
    /// Who has ever arrived at an mbarrier.
    comers: FxHashSet<(Place, (u32, u64, u32))>,
}

impl Handoffs {
    /// Lanes arrive at an mbarrier or have waited for one, at this time of their block.
    pub fn used(&mut self, actor: Actor, request: &Request, by: &MbarrierUse, time: Time) {
        let place = place_of(actor, request);
        for lane in lanes(by.done) {
            let who = Who::new(actor, lane);
            let mbarrier = (place, request.addresses[lane]);
            let is_odd = by.odd >> lane & 1 == 1;
            match request.access {
                Access::Load => self.waited(who, mbarrier, is_odd, time),
                _ => self.arrived(who, mbarrier, is_odd),
            }
        }
    }

    fn arrived(&mut self, who: Who, mbarrier: Place, is_odd: bool) {
        let phases = self.phases.entry(mbarrier).or_default();
        if (phases[1].number % 2 == 1) != is_odd {
            let number = phases[1].number + 1;
            phases.swap(0, 1);
            phases[1] = Phase { number, arrived: Vec::new() };
        }
        if self.comers.len() < MAX_WAITS {
            self.comers.insert((mbarrier, (who.grid, who.block, who.thread)));
        }
        let arrived = &mut phases[1].arrived;
        if arrived.len() < MAX_ARRIVALS {
            arrived.push(who);
        }
    }

    fn waited(&mut self, who: Who, mbarrier: Place, is_odd: bool, time: Time) {
        let Some(phases) = self.phases.get(&mbarrier) else { return };
        let phase = phases.iter().rev().find(|phase| (phase.number % 2 == 1) == is_odd);
        let thread = (who.grid, who.block, who.thread);
        let is_known = self.waits.contains_key(&thread);
        if let Some(Phase { number: phase, .. }) = phase.filter(|_| is_known || self.waits.len() < MAX_WAITS)
        {
            self.waits.insert(thread, Wait { mbarrier, phase: *phase, time });
        }
    }

    /// What `me` has last waited for, if the earlier access by another thread at `time` came before that, and
    /// this thread has not arrived in that phase.
    pub fn uncovered(&self, me: Who, earlier: Who, time: Time) -> Option<Uncovered> {
        let wait = self.waits.get(&(me.grid, me.block, me.thread))?;
        let phase = self.phases.get(&wait.mbarrier)?.iter().rev().find(|phase| phase.number == wait.phase)?;
        let is_other =
            |who: &Who| (who.grid, who.block, who.thread) != (earlier.grid, earlier.block, earlier.thread);
        let first = *phase.arrived.first()?;
        let covers = phase.arrived.len() == MAX_ARRIVALS || !phase.arrived.iter().all(is_other);
        let arrivals = phase.arrived.len() as u32;
        (time <= wait.time && !covers).then_some(Uncovered {
            mbarrier: wait.mbarrier,
            phase: wait.phase,
            arrivals,
            first,
        })
    }

    /// Whether a thread has ever arrived at an mbarrier.
    pub fn has_come(&self, mbarrier: Place, who: Who) -> bool {
        self.comers.contains(&(mbarrier, (who.grid, who.block, who.thread)))
    }

    /// The shared memory of a block that has ended.
    pub fn block_end(&mut self, (grid, block): BlockId) {
        self.phases.retain(|(place, _), _| *place != (grid, block));
        self.comers.retain(|((place, _), _)| *place != (grid, block));
        self.waits.retain(|(of_grid, of_block, _), _| (*of_grid, *of_block) != (grid, block));
    }
}
