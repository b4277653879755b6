//! The asynchronous copies of a warp that have been asked for and not been done.

use crate::arith::{Lanes, WARP, each};

/// The copies of a warp that have been asked for and not been done.
#[derive(Debug, Default)]
pub struct PendingCopies {
    pub copies: Vec<Copy>,
    /// Groups that each lane has committed.
    pub groups: [u32; WARP],
}

/// A `cp.async` of some lanes.
#[derive(Debug)]
pub struct Copy {
    pub mask: u32,
    /// Offsets in shared memory, and addresses in global memory.
    pub to: Lanes,
    pub from: Lanes,
    pub bytes: u32,
    /// Bytes that each lane takes from global memory; the others become zero.
    pub given: Lanes,
    /// The group that it is in, counted for each lane.
    pub group: [u32; WARP],
    pub loc: u32,
}

impl PendingCopies {
    pub fn commit(&mut self, mask: u32) {
        each(mask, |lane| self.groups[lane] += 1);
    }
}
