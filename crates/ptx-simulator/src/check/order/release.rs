//! Releases and acquires: what threads learn of each other through locations in memory (PTX ISA 8.8, 8.9.4),
//! and at the barrier of their cluster (9.7.13.4).
//!
//! A release pattern is a fence and then a strong write, or a `.release`; an acquire pattern a strong read of
//! what has been written there and then a fence, or an `.acquire`. They synchronise only at scopes that
//! include both threads: a release for the block is known in its block alone, and a reader whose access or
//! fence is for its block alone learns nothing of other blocks. The like holds of a cluster, and, where
//! several devices take part, of a device: only scope sys includes the threads of another. On one device
//! scope gpu is as good, and is taken for it.
//!
//! So each location has a clock for everybody, and others for single blocks, clusters and devices.

use super::block::Seen;
use super::clock::{Clock, ClusterId, Gap, Location, Time, View};
use super::{ClusterBarrier, Order, Whose};
use crate::arith::{WARP, lanes};
use crate::observe::Actor;
use crate::ptx::Scope;

impl Order {
    /// Scope gpu includes everybody where there is one device, and a block that is in no cluster is one by
    /// itself.
    fn reach(&self, grid: u32, scope: Scope) -> Scope {
        match scope {
            Scope::Gpu if self.devices <= 1 => Scope::System,
            Scope::Cluster if !self.has_clusters(grid) => Scope::Cta,
            scope => scope,
        }
    }

    /// Whom an access of this scope includes besides the actor's block, and which scope is needed for that.
    fn included(&self, actor: Actor, in_shared: bool, scope: Scope) -> Vec<(Scope, Whose)> {
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

    pub fn fence(&mut self, actor: Actor, mask: u32, scope: Scope) {
        let scope = self.reach(actor.grid, scope);
        let block = self.clock(actor);
        let time = block.tick();
        for lane in lanes(mask) {
            let shared = block.seen.clone();
            let thread = block.thread(actor.warp, lane);
            thread.fences[scope as usize] = time;
            for seen in std::mem::take(&mut thread.seen).into_iter().chain(shared) {
                if seen.needs <= scope {
                    thread.known.join(&seen.clock);
                } else {
                    Seen::add(&mut thread.seen, Seen { gap: Gap::Scope, ..seen });
                }
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
            let of_others = included.into_iter().filter_map(|(needs, whose)| {
                Some((needs, self.released.at.get(&(location, whose))?.clone()))
            });
            let of_others: Vec<(Scope, Clock)> = of_others.collect();
            let block = self.clock(actor);
            let own = block.released.get(&location).map(|clock| (Scope::Cta, clock.clone()));
            for (needs, clock) in own.into_iter().chain(of_others) {
                let thread = block.thread(actor.warp, lane);
                if acquires {
                    thread.known.join(&clock)
                } else {
                    Seen::add(&mut thread.seen, Seen { needs, gap: Gap::Fence, clock })
                }
            }
        }
    }

    /// Lanes write locations by a strong access of `scope`: they release what is before their last fence, or,
    /// if the access `releases` by itself, all that is before now.
    pub fn release(
        &mut self,
        actor: Actor,
        locations: impl Iterator<Item = (usize, Location)>,
        scope: Scope,
        releases: bool,
    ) {
        let scope = self.reach(actor.grid, scope);
        let now = if releases { self.clock(actor).tick() } else { 0 };
        for (lane, location) in locations {
            let thread = self.clock(actor).threads.get(actor.warp as usize * WARP + lane);
            let fences = thread.map_or([0; 4], |thread| thread.fences);
            // The widest scope for which there is something to release.
            let widest = [Scope::System, Scope::Gpu, Scope::Cluster, Scope::Cta]
                .into_iter()
                .find(|fence| fences[*fence as usize] > 0);
            let (reach, time) = match widest {
                _ if releases => (scope, now),
                Some(fence) => (scope.min(fence), fences[fence as usize]),
                None => continue,
            };
            let known = self.known(actor, lane, time);
            for (_, whose) in self.included(actor, location.0.is_some(), reach) {
                self.released.at.entry((location, whose)).or_default().join(&known);
            }
            let released = &mut self.clock(actor).released;
            let is_first = released.is_empty();
            released.entry(location).or_default().join(&known);
            self.released.blocks += usize::from(is_first);
        }
    }

    pub fn cluster_arrive(&mut self, actor: Actor, mask: u32, releases: bool) {
        let time = self.clock(actor).tick();
        let mut known = Clock::default();
        if releases {
            for lane in lanes(mask) {
                known.join(&self.known(actor, lane, time));
            }
        }
        let warp = self.warp_number(actor);
        let barrier = self.clusters.entry(self.cluster_of((actor.grid, actor.block))).or_default();
        barrier.next.join(&known);
        barrier.arrived.push((warp, mask));
    }

    pub fn cluster_opens(&mut self, cluster: ClusterId) {
        let ClusterBarrier { mut over, next, arrived } = self.clusters.remove(&cluster).unwrap_or_default();
        over.join(&next);
        // Threads that have exited.
        for block in self.blocks_of(cluster) {
            let info = &self.grids[cluster.0 as usize];
            let threads = info.threads();
            let first = info.first_warp(block);
            let time = self.blocks.get_mut(&(cluster.0, block)).map_or(Time::MAX, |block| block.tick());
            for warp in 0..threads.div_ceil(WARP as u32) {
                let here = threads - warp * WARP as u32;
                let all = if here >= WARP as u32 { u32::MAX } else { (1 << here) - 1 };
                let of_warp = arrived.iter().filter(|arrival| arrival.0 == first + warp);
                let exited = of_warp.fold(all, |mask, arrival| mask & !arrival.1);
                if exited != 0 {
                    over.learn(first, View::of_lanes(warp, exited, time));
                }
            }
        }
        self.clusters.insert(cluster, ClusterBarrier { over, ..ClusterBarrier::default() });
    }

    /// Lanes have waited for the last round.
    pub fn cluster_wait(&mut self, actor: Actor, mask: u32) {
        let barrier = self.clusters.get(&self.cluster_of((actor.grid, actor.block)));
        let known = barrier.map_or(Clock::default(), |barrier| barrier.over.clone());
        let block = self.clock(actor);
        for lane in lanes(mask) {
            block.thread(actor.warp, lane).known.join(&known);
        }
    }
}
