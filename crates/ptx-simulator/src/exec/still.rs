//! How a warp stood, and what decides its way: what tells whether it runs in a cycle (`cycle.rs`).

use rustc_hash::FxHashSet;

use super::split::{Join, Split};
use crate::arith::Lanes;

/// Function and number of instructions that have been executed.
pub type Steps = FxHashSet<(usize, u32)>;

/// A cycle that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cycle {
    /// It waits for what others write; the place of the first load that looks for it, as function and number
    /// of the instruction.
    Waits(usize, u32),
    /// Nothing that others can do ends it.
    Turns,
}

/// A warp that is being followed.
#[derive(Debug)]
pub struct Followed {
    /// The state of memory, as `Progress` counts it.
    pub changes: u64,
    pub start: Still,
    /// Function and number of the instructions executed since.
    pub executed: Steps,
    pub steps: u32,
    pub age: u32,
    /// What decides its way, and how many instructions that was made from.
    pub slice: Option<(Slice, usize)>,
}

/// All that decides how a warp goes on, but for memory that is shared.
#[derive(Debug)]
pub struct Still {
    pub splits: Vec<Split>,
    pub joins: Vec<Join>,
    /// Function, registers and predicates of each activation.
    pub activations: Vec<(usize, Vec<Lanes>, Vec<u32>)>,
    pub local: Vec<Vec<u8>>,
}

/// Something that holds a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Location {
    /// Of a function.
    Register(usize, u32),
    Predicate(usize, u32),
    /// All local memory, with the parameters of calls.
    Local,
}

/// What decides the way of a warp.
#[derive(Debug, Default)]
pub struct Slice {
    pub decides: FxHashSet<Location>,
    /// What of that decides branches.
    pub branches: FxHashSet<Location>,
    /// What of that is computed from a clock.
    pub timed: FxHashSet<Location>,
}
