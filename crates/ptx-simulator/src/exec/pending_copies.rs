//! The asynchronous copies of a warp that have been asked for and not been done.

use crate::arith::{WARP, each};
use crate::observe::CopyRequest;

#[derive(Debug, Default)]
pub struct PendingCopies {
    pub copies: Vec<Copy>,
    /// Groups that each lane has committed.
    pub groups: [u32; WARP],
}

/// A `cp.async`, by the lanes that have not waited for it.
#[derive(Debug)]
pub struct Copy {
    pub request: CopyRequest,
    /// The group that it is in, counted for each lane.
    pub group: [u32; WARP],
    pub loc: u32,
}

impl PendingCopies {
    pub fn commit(&mut self, mask: u32) {
        each(mask, |lane| self.groups[lane] += 1);
    }
}
