//! Who does something, and in whose shared memory.

use super::order::BlockId;
use crate::arith::WARP;
use crate::observe::{Actor, Request};

/// A thread of a block of a grid, in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Who {
    pub grid: u32,
    pub block: u64,
    pub thread: u32,
    pub loc: u32,
}

impl Who {
    pub fn new(actor: Actor, lane: usize) -> Who {
        let Actor { grid, block, warp, loc, .. } = actor;
        Who { grid, block, thread: warp * WARP as u32 + lane as u32, loc }
    }
}

/// The block in whose shared memory a request is.
pub fn place_of(actor: Actor, request: &Request) -> BlockId {
    (actor.grid, request.owner.map_or(actor.block, |peer| peer.block))
}
