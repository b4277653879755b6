//! What strong accesses have left at their locations for Fence-SC (`fence_sc.rs`).

use rustc_hash::FxHashMap;

use super::clock::{ByScope, Location, Whose};

/// What strong accesses to a location have left for those that come after it.
#[derive(Debug, Default)]
pub struct Met {
    /// The fences before any write so far.
    pub writes: ByScope,
    /// Those before the last store, and the atomics since.
    pub chain: ByScope,
    /// Those before any read, and those before the reads that a later write has overwritten.
    pub reads: ByScope,
    pub overwritten: ByScope,
}

/// All such locations.
#[derive(Debug, Default)]
pub struct FenceSc {
    /// Whether there has been such a fence.
    pub is_used: bool,
    pub at: FxHashMap<(Location, Whose), Met>,
}

impl FenceSc {
    /// Bytes that all this takes, about.
    pub fn bytes(&self) -> usize {
        self.at.len() * size_of::<(Location, Met)>()
    }
}
