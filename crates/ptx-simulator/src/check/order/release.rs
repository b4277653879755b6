//! Releases and acquires: what threads learn of each other through locations in memory (PTX ISA 8.8, 8.9.4),
//! and at the barrier of their cluster (9.7.13.4).
//!
//! A release pattern is a `.release`, or a strong write behind one to the same location, or behind a fence
//! of the same thread. An acquire pattern is an `.acquire`, or a strong read in front of one of the same
//! location, or in front of a fence of the same thread. They synchronise if the read observes the write, at
//! once or along a chain of atomics (8.9.2), and only at scopes that include both threads: a release for
//! the block is known in its block alone, and a reader whose access or fence is for its block alone learns
//! nothing of other blocks. The like holds of a cluster, and, where several devices take part, of a device:
//! only scope sys includes the threads of another. On one device scope gpu is as good, and is taken for it.
//!
//! So each location has a clock for everybody, and others for single blocks, clusters and devices.

use super::block::{Fence, Seen};
use super::clock::{Clock, ClusterId, Gap, Location, Time, View, Whose};
use super::{Arrived, ClusterBarrier, Order, Round};
use crate::arith::{WARP, lanes};
use crate::observe::{Actor, FenceKind};
use crate::ptx::Scope;

impl Order {
    /// Scope gpu includes everybody where there is one device, and a block that is in no cluster is one by
    /// itself.
    pub(super) fn reach(&self, grid: u32, scope: Scope) -> Scope {
        match scope {
            Scope::Gpu if self.devices <= 1 => Scope::System,
            Scope::Cluster if !self.has_clusters(grid) => Scope::Cta,
            scope => scope,
        }
    }

    /// Whom an access of this scope includes besides the actor's block, and which scope is needed for that.
    pub(super) fn included(&self, actor: Actor, in_shared: bool, scope: Scope) -> Vec<(Scope, Whose)> {
        let clusters = self.has_clusters(actor.grid);
        let all = [
            clusters.then(|| (Scope::Cluster, Whose::Cluster(self.cluster_of((actor.grid, actor.block))))),
            (self.devices > 1).then(|| (Scope::Gpu, Whose::Device(self.device_of(actor.grid)))),
            Some((Scope::System, Whose::All)),
        ];
        // Other blocks reach what is in shared memory only in a cluster.
        let reached = all.into_iter().flatten().filter(|_| !in_shared || clusters);
        reached.filter(|(needs, _)| *needs <= scope).collect()
    }

    pub fn fence(&mut self, actor: Actor, mask: u32, scope: Scope, kind: FenceKind) {
        self.has_fences = true;
        let is_sc = kind == FenceKind::Sc;
        let acquires = kind != FenceKind::Release;
        let scope = self.reach(actor.grid, scope);
        let block = self.block_of(actor);
        let time = block.tick();
        for lane in lanes(mask) {
            let thread = block.thread(actor.warp, lane);
            for seen in std::mem::take(&mut thread.seen) {
                if !seen.is_own || !acquires {
                    Seen::add(&mut thread.seen, seen);
                } else if seen.needs <= scope {
                    thread.known.join(&seen.clock);
                } else {
                    Seen::add(&mut thread.seen, Seen { gap: Gap::Scope, ..seen });
                }
            }
        }
        let barrier = block.barrier;
        let of_block = block.known.clone();
        let first_warp = self.grids[actor.grid as usize].first_warp(actor.block);
        let groups = if is_sc { self.groups_of_fences(actor.grid, scope) } else { Vec::new() };
        let block = self.block_of(actor);
        // Lanes that know the same, as they do behind a barrier, come to know the same.
        let mut last: Option<(Clock, Clock)> = None;
        for lane in lanes(mask) {
            let thread = block.thread(actor.warp, lane);
            let mut known = match &last {
                Some((before, after)) if thread.known.is_same(before) => after.clone(),
                _ => {
                    let before = thread.known.clone();
                    let mut known = of_block.clone();
                    known.join(&before);
                    if is_sc {
                        known.fence_sc(&groups);
                    }
                    last = Some((before, known.clone()));
                    known
                }
            };
            if is_sc {
                let view = View::at_fence(actor.warp, lane, barrier, time);
                known.own_fence_sc(&groups, first_warp, &view);
                thread.known.join(&known);
            }
            if kind != FenceKind::Acquire {
                thread.fences.retain(|fence| fence.scope != scope);
                thread.fences.push(Fence { scope, time, barrier, known });
            }
        }
    }

    /// Lanes read locations by a strong access of `scope`: they learn what has been released there, at once
    /// if the access `acquires` by itself, else with their next fence.
    pub fn acquire(
        &mut self,
        actor: Actor,
        locations: impl Iterator<Item = (usize, Location)>,
        scope: Scope,
        acquires: bool,
    ) {
        if self.released.blocks == 0 {
            return;
        }
        let scope = self.reach(actor.grid, scope);
        for (lane, location) in locations {
            let included = self.included(actor, location.0.is_some(), scope);
            let block = self.block_of(actor);
            if acquires
                && let Some(thread) = block.threads.get_mut(actor.warp as usize * WARP + lane)
                && let Some((_, seen)) = thread.looked.as_ref().filter(|looked| looked.0 == location)
            {
                for (_, clock) in seen.iter().filter(|(needs, _)| *needs <= scope) {
                    thread.known.join(clock);
                }
            }
            let Some(now) = self.released.rounds.get(&location).copied() else { continue };
            let is_now = |(round, _): &&(Round, Clock)| *round == now;
            let of_others = included.into_iter().filter_map(|(needs, whose)| {
                let (_, clock) = self.released.at.get(&(location, whose)).filter(is_now)?;
                Some((needs, clock.clone()))
            });
            let of_others: Vec<(Scope, Clock)> = of_others.collect();
            let block = self.block_of(actor);
            let own = block.released.get(&location).filter(is_now);
            let own = own.map(|(_, clock)| (Scope::Cta, clock.clone()));
            for (needs, clock) in own.into_iter().chain(of_others) {
                let thread = block.thread(actor.warp, lane);
                if acquires {
                    thread.known.join(&clock)
                } else {
                    thread.looks(location, needs, &clock);
                    Seen::add(&mut thread.seen, Seen { needs, is_own: true, gap: Gap::Fence, clock })
                }
            }
        }
    }

    /// Lanes write locations by a strong access of `scope`. They release what is before their fences, and, if
    /// the access `releases` by itself, all that is before now. A store ends what has been released there
    /// before; an atomic (`keeps`) hands it on.
    pub fn release(
        &mut self,
        actor: Actor,
        locations: impl Iterator<Item = (usize, Location)>,
        scope: Scope,
        (releases, keeps): (bool, bool),
    ) {
        let scope = self.reach(actor.grid, scope);
        let now = if releases { self.block_of(actor).tick() } else { 0 };
        for (lane, location) in locations {
            if !keeps && let Some(round) = self.released.rounds.get_mut(&location) {
                *round += 1;
            }
            let thread = self.block_of(actor).threads.get(actor.warp as usize * WARP + lane);
            let fences = thread.map_or(Vec::new(), |thread| thread.fences.clone());
            let here = |release: &&(Location, Scope, Clock)| release.0 == location;
            let releases_before = thread.and_then(|thread| thread.releases.iter().find(here).cloned());
            for Fence { scope: of_fence, time, barrier, mut known } in fences {
                let first_warp = self.grids[actor.grid as usize].first_warp(actor.block);
                known.learn(first_warp, View::at_fence(actor.warp, lane, barrier, time));
                self.release_at(actor, location, scope.min(of_fence), &known);
            }
            if let Some((_, of_release, known)) = releases_before {
                self.release_at(actor, location, scope.min(of_release), &known);
            }
            if releases {
                let known = self.known(actor, lane, now);
                self.release_at(actor, location, scope, &known);
                self.block_of(actor).thread(actor.warp, lane).has_released(location, scope, known);
            }
        }
    }

    /// Whether lanes that make a strong access to the same location hand something on from one to the next.
    pub fn hands_on(&mut self, actor: Actor, mut locations: impl Iterator<Item = (usize, Location)>) -> bool {
        if !self.has_fences && self.released.blocks == 0 {
            return false;
        }
        locations.any(|(lane, location)| {
            let thread = self.block_of(actor).threads.get(actor.warp as usize * WARP + lane);
            thread.is_some_and(|thread| !thread.fences.is_empty())
                || self.released.rounds.contains_key(&location)
        })
    }

    /// Releases what is `known` at a location, to all that the scope includes.
    fn release_at(&mut self, actor: Actor, location: Location, reach: Scope, known: &Clock) {
        let now = *self.released.rounds.entry(location).or_default();
        let join = |(round, clock): &mut (Round, Clock)| {
            if *round != now {
                *round = now;
                *clock = Clock::default();
            }
            clock.join(known);
        };
        for (_, whose) in self.included(actor, location.0.is_some(), reach) {
            join(self.released.at.entry((location, whose)).or_default());
        }
        let released = &mut self.block_of(actor).released;
        let is_first = released.is_empty();
        join(released.entry(location).or_default());
        self.released.blocks += usize::from(is_first);
    }

    pub fn cluster_arrive(&mut self, actor: Actor, mask: u32, releases: bool) {
        let time = self.block_of(actor).tick();
        let mut known = Clock::default();
        if releases {
            for lane in lanes(mask) {
                known.join(&self.known(actor, lane, time));
            }
        }
        let warp = self.warp_number(actor);
        let barrier = self.clusters.entry(self.cluster_of((actor.grid, actor.block))).or_default();
        barrier.next_round.join(&known);
        barrier.arrived.push(Arrived { warp, lanes: mask });
    }

    pub fn cluster_opens(&mut self, cluster: ClusterId) {
        let ClusterBarrier { last_round, next_round, arrived } =
            self.clusters.remove(&cluster).unwrap_or_default();
        let mut known = last_round;
        known.join(&next_round);
        // Threads that have exited.
        for block in self.blocks_of(cluster) {
            let info = &self.grids[cluster.0 as usize];
            let threads = info.threads();
            let first = info.first_warp(block);
            let time = self.blocks.get_mut(&(cluster.0, block)).map_or(Time::MAX, |block| block.tick());
            for warp in 0..threads.div_ceil(WARP as u32) {
                let here = threads - warp * WARP as u32;
                let all = if here >= WARP as u32 { u32::MAX } else { (1 << here) - 1 };
                let of_warp = arrived.iter().filter(|arrived| arrived.warp == first + warp);
                let exited = of_warp.fold(all, |mask, arrived| mask & !arrived.lanes);
                if exited != 0 {
                    known.learn(first, View::of_lanes(warp, exited, time));
                }
            }
        }
        self.clusters.insert(cluster, ClusterBarrier { last_round: known, ..ClusterBarrier::default() });
    }

    /// Lanes have waited for the last round.
    pub fn cluster_wait(&mut self, actor: Actor, mask: u32) {
        let barrier = self.clusters.get(&self.cluster_of((actor.grid, actor.block)));
        let known = barrier.map_or(Clock::default(), |barrier| barrier.last_round.clone());
        let block = self.block_of(actor);
        for lane in lanes(mask) {
            block.thread(actor.warp, lane).known.join(&known);
        }
    }
}
