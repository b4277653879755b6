//! What a run has found, as far as an edit may depend on it.

/// Who the two sides of a race are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// Lanes of one warp.
    Lanes,
    /// Threads of one block.
    Block,
    /// Threads of one cluster.
    Cluster,
    /// Threads that write the same element, wherever they are.
    Writers,
    /// Threads of two blocks.
    Blocks,
    /// Threads that take the same lock.
    Lock,
    /// Threads of two grids.
    Grids,
    /// A parent and its child.
    Family,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// Nothing orders two accesses.
    Race(Sides),
    /// An access to what an asynchronous copy writes or reads, which is not waited for.
    Copy,
    /// A barrier that some threads do not reach.
    Divergence,
    /// An access outside of its array.
    OutOfBounds,
    /// A value that nobody has written.
    Uninitialized,
}

/// What a run has found in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What is wrong.
    pub mistake: Mistake,
    /// Its lines in the source, from 1: its own, then those that belong to it.
    pub lines: Vec<u32>,
    /// Names in the source whose value is the number of elements of the array that an access is outside of.
    pub limits: Vec<String>,
    /// Pairs of names, of rows and of columns, whose product is that number.
    pub shapes: Vec<(String, String)>,
}
