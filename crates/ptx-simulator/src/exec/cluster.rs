//! What the blocks of a cluster share: their shared memory, and a barrier (PTX ISA 9.7.13.4).

use super::block::{BlockState, Cluster, Member, SharedMemory};
use super::context::{At, Context, Executed};
use super::split::Wait;
use super::warp::Warp;
use crate::diagnostic::Kind;
use crate::memory::shared;
use crate::observe::{Act, Event, Peer, Request};
use crate::what::KEEP_ALIVE;
use crate::words::of_bytes;

/// The shared memory of `block`, or of another one of its cluster.
#[inline]
pub fn shared_in<'a>(
    block: &'a BlockState,
    cluster: &'a Option<&mut Cluster>,
    owner: Option<Peer>,
) -> &'a SharedMemory {
    match (owner, cluster) {
        (Some(peer), Some(cluster)) => &cluster.members[peer.rank as usize].shared,
        _ => &block.shared,
    }
}

impl Context<'_> {
    /// The shared memory of this block, or of another one of its cluster.
    #[inline]
    pub fn shared_of(&self, owner: Option<Peer>) -> &SharedMemory {
        shared_in(self.block, &self.cluster, owner)
    }

    #[inline]
    pub fn shared_mut(&mut self, owner: Option<Peer>) -> &mut SharedMemory {
        match (owner, &mut self.cluster) {
            (Some(peer), Some(cluster)) => &mut cluster.members[peer.rank as usize].shared,
            _ => &mut self.block.shared,
        }
    }

    /// The block's rank, where addresses can name one.
    #[inline]
    pub fn own_rank(&self) -> Option<u32> {
        self.cluster.as_ref().map(|_| self.block.rank)
    }

    /// The offset of an address that must be in the block's own shared memory.
    pub fn own_offset(&self, address: u64, bytes: u32) -> u64 {
        match shared::rank(address) {
            (Some(rank), within) if rank == self.block.rank => self.shared.offset(within, bytes),
            _ => self.shared.offset(address, bytes),
        }
    }

    /// The request with the block whose shared memory it is for, which must be there.
    #[inline]
    pub fn reach<'a>(&self, warp: &Warp, at: At, request: &Request<'a>) -> Executed<Request<'a>> {
        let Some(Peer { rank, .. }) = request.owner else { return Ok(*request) };
        let members = self.cluster.as_ref().map_or(&[][..], |cluster| &cluster.members[..]);
        let why = match members.get(rank as usize) {
            Some(Member { ended: false, block, .. }) => {
                return Ok(Request { owner: Some(Peer { rank, block: *block }), ..*request });
            }
            Some(member) => format!("block {}, which has ended", member.block),
            None => format!("block {rank} of a cluster of {}", members.len()),
        };
        let what = format!("{} in the shared memory of {why}", of_bytes(request.access, request.bytes));
        Err(self.fault(warp, At { mask: request.mask, ..at }, Kind::OutOfBounds, what, KEEP_ALIVE))
    }

    /// Lanes arrive at the barrier of their cluster, and go on.
    pub fn cluster_arrive(&mut self, warp: &mut Warp, index: usize, at: At, releases: bool) -> Executed<()> {
        let again = at.mask & (warp.in_cluster_barrier[0] | warp.in_cluster_barrier[1]);
        if again != 0 {
            let what = "a thread arrives at the barrier of its cluster again, and has not waited there";
            let help =
                "let every barrier.cluster.arrive (barrier_arrive) be followed by a wait of the same thread";
            let at = At { mask: again, ..at };
            return Err(self.fault(warp, at, Kind::BarrierDivergence, what, help));
        }
        self.act(warp, at, Act::ClusterArrive { mask: at.mask, releases });
        if self.checks {
            self.barrier_sites(warp, index, at);
        }
        self.progress.changed();
        if let Some(cluster) = &mut self.cluster {
            cluster.arrived += at.mask.count_ones();
            warp.in_cluster_barrier[(cluster.round & 1) as usize] |= at.mask;
        }
        self.open_cluster();
        Ok(())
    }

    /// Lanes wait at it; whether it is not open yet.
    pub fn cluster_wait(&mut self, warp: &mut Warp, index: usize, at: At) -> Executed<bool> {
        let absent = at.mask & !(warp.in_cluster_barrier[0] | warp.in_cluster_barrier[1]);
        let Some(cluster) = self.cluster.as_ref().filter(|_| absent == 0) else {
            let what = "a thread waits at the barrier of its cluster, and has not arrived there";
            let help = "let it arrive first (barrier.cluster.arrive, barrier_arrive), or use cluster.sync()";
            let at = At { mask: if absent == 0 { at.mask } else { absent }, ..at };
            return Err(self.fault(warp, at, Kind::BarrierDivergence, what, help));
        };
        let round = cluster.round;
        if at.mask & warp.in_cluster_barrier[(round & 1) as usize] == 0 {
            self.behind_cluster_barrier(warp, at);
            return Ok(false);
        }
        let waiting = warp.stay(index, at.mask);
        warp.splits[waiting].wait = Wait::Cluster { round };
        Ok(true)
    }

    /// Lanes have waited for a round that is over.
    pub fn behind_cluster_barrier(&mut self, warp: &mut Warp, at: At) {
        for lanes in &mut warp.in_cluster_barrier {
            *lanes &= !at.mask;
        }
        self.act(warp, at, Act::ClusterWait(at.mask));
    }

    /// Lanes exit: nobody waits for them any more.
    pub fn leave_cluster(&mut self, warp: &mut Warp, mask: u32) {
        let Some(cluster) = &mut self.cluster else { return };
        let here = &mut warp.in_cluster_barrier[(cluster.round & 1) as usize];
        cluster.arrived -= (*here & mask).count_ones();
        cluster.exited += mask.count_ones();
        *here &= !mask;
        self.open_cluster();
    }

    fn open_cluster(&mut self) {
        let Some(cluster) = &mut self.cluster else { return };
        if cluster.open() {
            let grid = self.grid;
            if let Some(turns) = self.turns {
                turns.borrow_mut().cluster_opens(grid, cluster.members.iter().map(|member| member.block));
            }
            let number = cluster.number;
            let threads = cluster.threads;
            let exited = cluster.exited;
            self.observer.event(&Event::ClusterOpens { grid, cluster: number, threads, exited });
            self.progress.changed();
        }
    }
}
