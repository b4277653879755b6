//! What the race check remembers of memory: of every byte the last write and the reads since.
//!
//! | | bytes |
//! | --- | --- |
//! | a word in a touched page (`cell.rs`) | 16 |
//! | a warp's access, for all words together that it last wrote, or has read since (`nodes.rs`) | 7 |
//! | sets of several warps that have read, 36 for each link: for all words together, at most for each | 3 |
//! | each link of bytes accessed apart, in no way that repeats, beyond the third or fourth | 4 |
//!
//! `race/room.rs` measures it. Whole words keep to 24 bytes there, unless one lane has written a word alone
//! and another has read it alone, which is 7 for each; so do bytes that are accessed in lines or columns.
//! Bytes at random cannot take so little if nothing is to be forgotten. A byte that one thread has written
//! and another read, each anywhere, needs two links, a word eight. A link says which warp, which lane, when
//! and from which line: it takes 31 bits, and the number of a thread alone would take about as many in a
//! grid of 2^30. Eight links are 32 bytes, 12 of which stand in the cell: 16 + 20, and what the warps'
//! accesses take, are 38. Two scattered readers of each byte are the same 36, and 13 for warps of which
//! each has touched bytes in 32 places. With strong and weak writes there can be three or four links for
//! each byte.

mod cell;
mod nodes;

use super::conflict::Strength;
use super::order::Past;

pub use cell::{Cell, Content, History, Link, Pools};
pub use nodes::{Id, NOBODY, Node, Nodes, Reader, What, Who};

/// Words in a page: a page comes into being when one of its words is touched.
const PAGE: usize = 256;
/// Bytes of a word.
pub const WORD: u64 = 4;

/// An access that has happened.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    pub past: Past,
    /// Index into the program's line table.
    pub loc: u32,
    pub strength: Strength,
    pub atomic: bool,
}

/// Which lane of a warp accesses which byte of a word: the first byte's lane in five bits, and above them how
/// it goes on: it grows by 1 with every byte (0), with every second (1), or not at all (2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spread(u8);

impl Spread {
    /// Lanes from `lane` on access `bytes` bytes each.
    #[inline(always)]
    pub fn new(lane: usize, bytes: u32) -> Spread {
        Spread(lane as u8 | (bytes.min(WORD as u32).trailing_zeros() as u8) << 5)
    }

    #[inline(always)]
    pub fn lane(self, byte: usize) -> usize {
        (self.0 & 31) as usize + (byte >> (self.0 >> 5))
    }

    /// The lane of one byte, for that byte by itself.
    pub fn of_byte(self, byte: usize) -> Spread {
        Spread::new(self.lane(byte), WORD as u32)
    }

    /// How many lanes further this is, if both go on alike.
    #[inline(always)]
    pub fn relative_to(self, other: Spread) -> Option<i8> {
        (self.0 >> 5 == other.0 >> 5).then_some(self.0 as i8 - other.0 as i8)
    }
}

/// The memory of one allocation, or the shared memory of one block.
#[derive(Debug, Default)]
pub struct Region {
    pages: Vec<Option<Box<[Cell; PAGE]>>>,
    pools: Pools,
}

impl Region {
    /// Bytes besides those of [`Nodes::bytes`], at most.
    pub fn bytes(&self) -> usize {
        self.pages.capacity() * size_of::<usize>() + self.pools.bytes()
    }

    /// The cell of a word, and the pools of its content.
    #[inline(always)]
    pub fn word(&mut self, number: u64, nodes: &mut Nodes) -> (&mut Cell, &mut Pools) {
        let (page, word) = (number as usize / PAGE, number as usize % PAGE);
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || None);
        }
        let cells = self.pages[page].get_or_insert_with(|| {
            nodes.words += PAGE;
            Box::new([Cell::default(); PAGE])
        });
        (&mut cells[word], &mut self.pools)
    }
}
