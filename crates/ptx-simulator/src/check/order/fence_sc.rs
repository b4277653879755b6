//! Fence-SC: which of two `fence.sc` comes first (PTX ISA 8.9.3 and 8.10.2). `__threadfence()` is such a
//! fence.
//!
//! Any two morally strong `fence.sc` are ordered, and the earlier one synchronizes with the later one. In
//! which order they are is open, unless one order contradicts what the run has shown. So no order of fences
//! is tried: an edge F1 -> F2 counts where it is forced, and where it is not there is a run of the other
//! order, in which the accesses that only this edge would order race.
//!
//! It is forced if F2 -> F1 would contradict causality, or coherence:
//! - F1 is before F2 in causality: then all that is before F1 is before F2 anyway.
//! - F1 is before an access A, which comes before an access B to the same location in communication, and B is
//!   before F2. Were F2 first, then B would be before A in causality. But then
//!   - a read B could not have read from the write A, or from what atomics made of it ("Causality", first
//!     rule, and observation along a chain of read-modify-writes);
//!   - a write B would be before the write A in coherence order, and it is after it ("Coherence");
//!   - a read A would have to see the write B, or the one that the read B has seen, and it has seen an
//!     earlier one ("Causality", second rule).
//!
//! A read that sees a store tells nothing about the stores that this one has overwritten, and two steps of
//! communication in a row, with no fence between, force nothing: the axioms forbid neither.
//!
//! So a clock carries two more things: which fences are before this moment in causality (`before`), and
//! which are before it by one step of communication (`across`). Both are handed on as the clock is, by
//! barriers, releases and launches. A strong access takes what its location has for it into `across`, and
//! leaves its `before` there. A fence turns `across` into knowledge. Kernels without `fence.sc` have
//! nothing of all this.

use std::rc::Rc;

use super::Order;
use super::clock::{Clock, Fences, Location, Time, View, Whose};
use crate::observe::{Access, Actor};
use crate::ptx::Scope;

const SCOPES: [Scope; 4] = [Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::System];

impl Order {
    /// What a lane knows of fences.
    fn fences_of(&mut self, actor: Actor, lane: usize) -> Option<Rc<Fences>> {
        let block = self.block_of(actor);
        let of_block = block.known.fences.clone();
        let of_thread = block.thread(actor.warp, lane).known.fences.clone();
        Fences::join(of_block, &of_thread)
    }

    /// The scopes by which a fence of this scope, as the clocks have it, is morally strong with others.
    pub fn groups_of_fences(&mut self, grid: u32, scope: Scope) -> Vec<Scope> {
        self.fence_sc.is_used = true;
        let is_one = |group: &Scope| self.reach(grid, *group) == *group;
        SCOPES.into_iter().filter(|group| *group <= scope).filter(is_one).collect()
    }

    /// Lanes access locations by a strong access of `scope`: they come after those that were there before.
    pub fn communicate(
        &mut self,
        actor: Actor,
        locations: impl Iterator<Item = (usize, Location)>,
        scope: Scope,
        access: Access,
    ) {
        if !self.fence_sc.is_used {
            return;
        }
        let scope = self.reach(actor.grid, scope);
        for (lane, location) in locations {
            let fences = self.fences_of(actor, lane);
            let own = (Scope::Cta, Whose::Block((actor.grid, actor.block)));
            let others = self.included(actor, location.0.is_some(), scope);
            let groups: Vec<_> = std::iter::once(own).chain(others).collect();
            let is_met = |(_, whose): &(Scope, Whose)| self.fence_sc.at.contains_key(&(location, *whose));
            if fences.is_none() && !groups.iter().any(is_met) {
                continue;
            }
            let mut fences = fences.map_or(Fences::default(), Rc::unwrap_or_clone);
            for (group, whose) in groups {
                let met = self.fence_sc.at.entry((location, whose)).or_default();
                // Fences of narrower scopes have nothing to do with threads that are farther away.
                for at in group as usize..SCOPES.len() {
                    let across = &mut fences.across[at];
                    let before = &fences.before[at];
                    if access == Access::Store {
                        met.chain[at] = before.clone();
                    } else {
                        across.join(&met.chain[at]);
                        across.join(&met.overwritten[at]);
                    }
                    if access.writes() {
                        across.join(&met.writes[at]);
                        across.join(&met.reads[at]);
                        // Where all writes so far were atomics the two are one, and stay so: to join clocks
                        // that share their parts takes no time.
                        let are_one = met.chain[at].is_same(&met.writes[at]);
                        met.chain[at].join(before);
                        if are_one {
                            met.writes[at] = met.chain[at].clone();
                        } else {
                            met.writes[at].join(before);
                        }
                        met.overwritten[at] = met.reads[at].clone();
                    } else {
                        met.reads[at].join(before);
                    }
                }
            }
            self.block_of(actor).thread(actor.warp, lane).known.fences = Some(Rc::new(fences));
        }
    }
}

impl Clock {
    /// A thread that knows this executes `fence.sc`: it comes after those fences that it must come after, and
    /// before what follows.
    pub fn fence_sc(&mut self, groups: &[Scope]) {
        let mut fences = self.fences.take().map_or(Fences::default(), Rc::unwrap_or_clone);
        for group in groups {
            self.join(&fences.across[*group as usize]);
        }
        for group in groups {
            fences.before[*group as usize].join(self);
        }
        self.fences = Some(Rc::new(fences));
    }

    /// The same fence, as far as the thread's own operations go: this is its view of its own block.
    pub fn own_fence_sc(&mut self, groups: &[Scope], first_warp: u32, view: &View) {
        let mut fences = self.fences.take().map_or(Fences::default(), Rc::unwrap_or_clone);
        for group in groups {
            fences.before[*group as usize].learn(first_warp, view.clone());
        }
        self.fences = Some(Rc::new(fences));
    }
}

impl View {
    /// What a lane knows of its own block at a fence.
    pub fn at_fence(warp: u32, lane: usize, barrier: Time, time: Time) -> View {
        View { barrier, ..View::of_lanes(warp, 1 << lane, time) }
    }
}
