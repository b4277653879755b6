//! Operations whose order matters, and which of them can change places without a difference.
//!
//! These are the strong accesses of PTX (ISA 8.1): atomics, volatile and relaxed accesses, those that acquire
//! or release, and the use of an mbarrier. Plain accesses are none: two that conflict and are not ordered are
//! a race, whichever comes first.

use std::rc::Rc;

use crate::arith::AtomOp;

/// A block of a grid.
pub type BlockId = (u32, u64);

/// Lanes of a warp that execute together, named by the lowest of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Process {
    /// Number of the grid in this launch.
    pub grid: u32,
    /// Linear number of the block in its grid.
    pub block: u64,
    /// Number of the warp in its block.
    pub warp: u32,
    /// The lowest lane.
    pub lane: u32,
}

impl Process {
    pub fn block_id(&self) -> BlockId {
        (self.grid, self.block)
    }

    /// The thread's number in its block.
    pub fn thread(&self) -> u32 {
        self.warp * crate::arith::WARP as u32 + self.lane
    }
}

/// Four bytes of memory: the block in whose shared memory they lie, if they do, and their number.
pub type Word = (Option<BlockId>, u64);

/// Bytes of a word.
pub const WORD: u64 = 4;

/// What an operation does with its words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Does {
    Read,
    Write,
    /// Reads, computes and writes. `returns`: somebody uses what was there before.
    Update {
        op: AtomOp,
        returns: bool,
    },
    /// Arrives at an mbarrier.
    Arrive,
}

/// A strong access by lanes of a warp.
#[derive(Clone, Debug)]
pub struct Operation {
    pub process: Process,
    /// The lanes that take part.
    pub mask: u32,
    /// The function and the instruction.
    pub site: (usize, u32),
    /// Index into the program's line table.
    pub loc: u32,
    pub does: Does,
    /// Bytes per lane.
    pub bytes: u32,
    /// Sorted, each once.
    pub words: Vec<Word>,
    /// Whether its thread reads again and again until it likes the value.
    pub waits: bool,
}

impl Operation {
    /// The part of it that one of its lanes does.
    pub fn of_lane(&self, lane: u32) -> Operation {
        Operation { process: Process { lane, ..self.process }, mask: 1 << lane, ..self.clone() }
    }

    /// Whether the two touch a word of which one writes something, so that it may matter which comes first.
    /// Additions of integers, minima and the like lead to the same sum in either order; what they return
    /// does not.
    pub fn depends_on(&self, other: &Operation) -> bool {
        self.conflicts_with(other) && self.shares_a_word(other)
    }

    /// The same of two that are known to touch one word.
    pub fn conflicts_with(&self, other: &Operation) -> bool {
        match (self.does, other.does) {
            (Does::Read, Does::Read) | (Does::Arrive, Does::Arrive) => false,
            (Does::Update { op: a, returns: false }, Does::Update { op: b, returns: false }) => {
                !(a == b && self.bytes == other.bytes && commutes(a))
            }
            _ => true,
        }
    }

    /// Whether the two are one in the source: the same instruction, or two of one line that do the same. A
    /// compiler may take the first look out of the loop that waits.
    pub fn is_in_place_of(&self, other: &Operation) -> bool {
        self.site == other.site
            || self.loc == other.loc && self.waits && other.waits && self.does == other.does
    }

    pub fn shares_a_word(&self, other: &Operation) -> bool {
        let (few, many) = if self.words.len() < other.words.len() { (self, other) } else { (other, self) };
        few.words.iter().any(|word| many.words.binary_search(word).is_ok())
    }
}

/// Whether it does not matter which of two such updates comes first. Additions of floating-point numbers
/// round, so that it does.
fn commutes(op: AtomOp) -> bool {
    match op {
        AtomOp::Add
        | AtomOp::MinU
        | AtomOp::MinS
        | AtomOp::MaxU
        | AtomOp::MaxS
        | AtomOp::And
        | AtomOp::Or
        | AtomOp::Xor => true,
        AtomOp::AddFloat(_) | AtomOp::Exchange | AtomOp::CompareSwap | AtomOp::Inc | AtomOp::Dec => false,
    }
}

/// An operation of which several lanes meet at one address, where their order makes a difference.
#[derive(Clone, Debug)]
pub struct Uneven {
    pub operation: Rc<Operation>,
    /// The lanes that meet others.
    pub mask: u32,
}

impl Uneven {
    /// The lane that comes first in the plain order, and the one that comes last.
    pub fn first(&self) -> u32 {
        self.mask.trailing_zeros()
    }

    pub fn last(&self) -> u32 {
        u32::BITS - 1 - self.mask.leading_zeros()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(does: Does, words: &[u64]) -> Operation {
        let process = Process { grid: 0, block: 0, warp: 0, lane: 0 };
        let words = words.iter().map(|word| (None, *word)).collect();
        Operation { process, mask: 1, site: (0, 0), loc: 0, does, bytes: 4, words, waits: false }
    }

    #[test]
    fn only_what_can_make_a_difference_depends_on_the_order() {
        let add = Does::Update { op: AtomOp::Add, returns: false };
        let ticket = Does::Update { op: AtomOp::Add, returns: true };
        let largest = Does::Update { op: AtomOp::MaxU, returns: false };
        let exchange = Does::Update { op: AtomOp::Exchange, returns: false };
        for (one, other, depends) in [
            (Does::Read, Does::Read, false),
            (Does::Read, Does::Write, true),
            (Does::Write, Does::Write, true),
            (add, add, false),
            (add, largest, true),
            (add, ticket, true),
            (add, Does::Read, true),
            (exchange, exchange, true),
            (Does::Arrive, Does::Arrive, false),
            (Does::Arrive, Does::Read, true),
        ] {
            let one = operation(one, &[1, 7]);
            let other_word = operation(other, &[2, 3]);
            let other = operation(other, &[7]);
            assert_eq!(
                (one.depends_on(&other), other.depends_on(&one)),
                (depends, depends),
                "{one:?} {other:?}"
            );
            assert!(!one.depends_on(&other_word));
        }
    }
}
