//! Who makes an access and in whose memory, what a race is, and how strong accesses are: two strong ones do
//! not race.

use super::order::{BlockId, Past};
use crate::arith::{WARP, which};
use crate::observe::{Access, Actor, Request};
use crate::ptx::{Order, Scope, Space};
use crate::what::Disorder;

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

/// Two accesses that race: the earlier one, as it happened.
#[derive(Clone, Copy, Debug)]
pub struct Race {
    /// The first lane, and all that race alike.
    pub lane: usize,
    pub lanes: u32,
    pub address: u64,
    /// Of a vector, the element.
    pub part: usize,
    /// The number of the earlier access, if that is a read whose value is followed.
    pub read: u32,
    pub earlier: Past,
    pub earlier_loc: u32,
    pub earlier_access: Access,
    pub why: Disorder,
    /// Both are plain stores, and this one writes what is there already.
    pub same_value: bool,
    /// Each of the two is half of an update: its thread reads the element, changes it and writes it back.
    pub updates: bool,
}

/// The later one.
#[derive(Clone, Copy, Debug)]
pub struct Later {
    pub who: Who,
    pub access: Access,
    pub space: Space,
    /// In whose shared memory.
    pub place: BlockId,
    /// Of each lane of the request.
    pub bytes: u32,
    /// Bytes of an element of it, if it is a vector.
    pub element: u32,
    /// Whether other lanes of the request are elsewhere.
    pub is_spread: bool,
}

impl Later {
    pub fn new(actor: Actor, request: &Request, lane: usize) -> Later {
        let Request { access, space, bytes, mask, addresses, .. } = *request;
        let who = Who::new(actor, lane);
        let place = place_of(actor, request);
        let is_spread = which(mask, |other| addresses[other] != addresses[lane]) != 0;
        Later { who, access, space, place, bytes, element: request.element_bytes(), is_spread }
    }
}

/// How far apart two threads that race are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Between {
    Lanes,
    Warps,
    Cluster,
    Blocks,
    Grids,
    Devices,
    ParentAndChild,
}

/// How strongly an access was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strength {
    /// Of a read, through the path for data that the grid does not write.
    ReadOnly,
    Weak,
    Strong(Scope),
}

/// How strong the accesses of a request are.
pub fn strength(request: &Request) -> Strength {
    match (request.access, request.order) {
        _ if !matches!(request.space, Space::Shared | Space::Global) => Strength::Weak,
        (Access::Atomic { .. }, _) => Strength::Strong(request.scope),
        (_, Order::Weak) => Strength::Weak,
        (_, Order::ReadOnly) => Strength::ReadOnly,
        _ => Strength::Strong(request.scope),
    }
}

/// Both strong, at scopes that include both threads; `both` is the narrowest that does.
pub fn morally_strong(a: Strength, b: Strength, both: Scope) -> bool {
    match (a, b) {
        (Strength::Strong(a), Strength::Strong(b)) => a.min(b) >= both,
        _ => false,
    }
}
