//! What a race is, and how strong accesses are: two strong ones do not race.

use super::order::{BlockId, Gap, Past};
use super::who::{Who, place_of};
use crate::observe::{Access, Actor, Request};
use crate::ptx::{Order, Scope, Space};

/// Two accesses that race: the earlier one, as it happened.
#[derive(Clone, Copy, Debug)]
pub struct Race {
    pub lane: usize,
    pub address: u64,
    pub earlier: Past,
    pub earlier_loc: u32,
    pub earlier_access: Access,
    pub why: Why,
    /// Both write, and this one writes what is there already.
    pub same_value: bool,
}

/// The later one.
#[derive(Clone, Copy, Debug)]
pub struct Later {
    pub who: Who,
    pub access: Access,
    pub space: Space,
    /// In whose shared memory.
    pub place: BlockId,
    /// All lanes of the request, and bytes of each.
    pub mask: u32,
    pub bytes: u32,
}

impl Later {
    pub fn new(actor: Actor, request: &Request, lane: usize) -> Later {
        let Request { access, space, mask, bytes, .. } = *request;
        let (who, place) = (Who::new(actor, lane), place_of(actor, request));
        Later { who, access, space, place, mask, bytes }
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

/// Why two accesses race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Nothing orders them.
    Unordered,
    /// Nearly: the later thread has seen the flag that orders them.
    Almost(Gap),
    /// One is a load of what no thread of the grid may write (PTX ISA, `ld.global.nc`), in whatever order.
    ReadOnly,
    /// Both are strong, which is no race, but a value that is used depends on which of them comes first
    /// (`strong.rs`); or it only decides whether something is stored, which others may store all the same.
    Turns { volatile: bool, decides: bool },
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
