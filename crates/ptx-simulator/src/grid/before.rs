//! How a launch stood some turns ago, to see whether the same state comes again (`recurrence.rs`).

use crate::exec::{BARRIERS, Barrier, Still};

/// What is known about how a launch stood before.
#[derive(Debug, Default)]
pub struct Recurrence {
    pub before: Option<Before>,
    /// The power of two of instructions at which it was recorded last: once is enough.
    pub recorded_at: u32,
}

/// A moment of a launch.
#[derive(Debug)]
pub struct Before {
    /// Of each block under way, in the order of their turns.
    pub blocks: Vec<BlockBefore>,
    pub upheavals: u64,
    pub changes: u64,
    pub executed: u64,
    pub turns: u64,
    pub age: u64,
}

/// How a block stood then.
#[derive(Debug)]
pub struct BlockBefore {
    pub grid: u32,
    pub block: u64,
    pub next: usize,
    pub barriers: [Barrier; BARRIERS],
    pub warps: Vec<Still>,
}
