//! What is allocated, and what was freed.

use rustc_hash::{FxHashMap, FxHashSet};

/// What `cudaMalloc` and its like have given, by address.
#[derive(Debug, Default)]
pub struct Allocations {
    pub made: FxHashMap<u64, Made>,
    /// Where what is freed was freed, by address.
    pub freed: FxHashMap<u64, (String, u32)>,
    /// How many each line has made.
    pub by_line: FxHashMap<(String, u32), usize>,
    /// The device's variables, and the addresses of those that the program has asked for.
    pub variables: Vec<String>,
    pub symbols: FxHashSet<u64>,
}

/// An allocation of the runtime's.
#[derive(Clone, Debug)]
pub struct Made {
    /// The call that takes it back.
    pub takes: &'static str,
    pub name: String,
    pub place: Option<(String, u32)>,
    /// Whether it is there for what comes later in a stream only (`cudaMallocAsync`).
    pub in_order: bool,
}
