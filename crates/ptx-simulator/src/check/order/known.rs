//! What threads have learnt of releases (`release.rs`).

use super::{BlockId, ClusterId};

/// Releases to one location that a thread has acquired, up to some entry of its log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acquired {
    pub log: u32,
    pub of: Whose,
    pub upto: u32,
}

/// Whose releases: by the scope of the access that sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Those of one block.
    Block(BlockId),
    /// Those of one cluster that are for more than their own block.
    Cluster(ClusterId),
    /// Those of one device that are for more than their own block; where there are several devices.
    Device(u32),
    /// Those of all that are for more than their own block or cluster, and, where there are several, device.
    All,
    /// Not of a location: all that the grids up to this one have done.
    Grids,
    /// Not of a location: the rounds of a cluster's barrier (`cluster.rs`).
    Barrier,
}

pub type Known = Vec<Acquired>;

/// Bytes that it has on the heap.
pub fn heap(known: &Known) -> usize {
    known.capacity() * size_of::<Acquired>()
}

pub fn learn(known: &mut Known, more: Acquired) {
    match known.iter_mut().find(|one| (one.log, one.of) == (more.log, more.of)) {
        Some(one) => one.upto = one.upto.max(more.upto),
        None => known.push(more),
    }
}

pub fn learn_all(known: &mut Known, more: &[Acquired]) {
    more.iter().for_each(|one| learn(known, *one));
}

/// What a strong read has seen, and no fence of sufficient scope has acquired since.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    pub what: Acquired,
    /// Whether there has been a fence for the block, which does not acquire it.
    pub narrow: bool,
}

impl Seen {
    pub fn add(all: &mut Vec<Seen>, more: &[Seen]) {
        for new in more {
            match all.iter_mut().find(|one| (one.what.log, one.what.of) == (new.what.log, new.what.of)) {
                Some(one) => {
                    one.what.upto = one.what.upto.max(new.what.upto);
                    one.narrow |= new.narrow;
                }
                None => all.push(*new),
            }
        }
    }
}
