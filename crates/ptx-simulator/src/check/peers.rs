//! out-of-bounds: an access to the shared memory of a block of the cluster that may have ended by then.
//!
//! Distributed shared memory is there as long as a thread of its block (CUDA C++ Programming Guide,
//! "Distributed Shared Memory"). If the block has ended, the access itself fails (`exec/cluster.rs`). If it
//! has not, by chance, something must have kept it: the access has to come before something that the block
//! does.

use rustc_hash::FxHashMap;

use super::conflict::{Strength, Who, strength};
use super::order::{BlockId, Order, Past};
use crate::arith::lanes;
use crate::observe::{Access, Actor, Request};

/// An access to a block by another one.
#[derive(Clone, Copy, Debug)]
pub struct Visit {
    pub who: Who,
    pub address: u64,
    pub access: Access,
    /// Bytes of an element.
    pub bytes: u32,
}

/// The last access of lanes of a warp, by its block and its number there.
#[derive(Clone, Copy, Debug)]
struct Last {
    block: u64,
    warp: u32,
    mask: u32,
    time: u32,
    loc: u32,
    address: u64,
    access: Access,
    bytes: u32,
}

/// By the block whose memory it is.
#[derive(Debug, Default)]
pub struct Visits {
    of: FxHashMap<BlockId, Vec<Last>>,
}

impl Visits {
    pub fn access(&mut self, order: &mut Order, actor: Actor, request: &Request) {
        let Some(peer) = request.owner else { return };
        let mut time = order.here(actor).now();
        // Who sees what an atomic has written there knows that it has been, and what its fence releases.
        let fences = lanes(request.mask).map(|lane| order.last_fence(actor, lane));
        if let Some(fence @ 1..) = fences.min().filter(|_| strength(request) > Strength::Weak) {
            time = fence - 1;
        }
        let mask = request.mask;
        let loc = actor.loc;
        let access = request.access;
        let bytes = request.element_bytes();
        let address = request.addresses[mask.trailing_zeros() as usize & 31];
        let block = actor.block;
        let warp = actor.warp;
        let all = self.of.entry((actor.grid, peer.block)).or_default();
        all.retain_mut(|last| {
            if (last.block, last.warp) == (block, warp) {
                last.mask &= !mask;
            }
            last.mask != 0
        });
        all.push(Last { block, warp, mask, time, loc, address, access, bytes });
    }

    /// A block ends: an access that nothing orders before something in the block.
    pub fn block_end(&mut self, order: &mut Order, id: BlockId) -> Option<Visit> {
        let visits = self.of.remove(&id)?;
        let known = order.known_at_all(id);
        let mut found: Vec<Visit> = Vec::new();
        for Last { block, warp, mask, time, loc, address, access, bytes } in visits {
            let actor = Actor { grid: id.0, block, warp, loc, kernel: "" };
            let global = order.warp_number(actor);
            let lost =
                lanes(mask).find(|&lane| !order.knows(&known, Past { warp: global, lane: lane as u8, time }));
            found.extend(lost.map(|lane| Visit { who: Who::new(actor, lane), address, access, bytes }));
        }
        found.into_iter().min_by_key(|visit| (visit.who.block, visit.who.thread))
    }
}
