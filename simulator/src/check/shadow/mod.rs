//! What the race check remembers of memory: of every byte the last write and the reads since.
//!
//! | | bytes |
//! | --- | --- |
//! | a word in a touched page (`cell.rs`) | 16 |
//! | what its accesses have in common with those of other words (`nodes.rs`) | mostly 8 or less |
//! | more for a word whose bytes were accessed apart in two ways, as by writes and by reads | 20 |
//! | more for one in three or four ways: strong and weak writes, many reads | 80 |
//!
//! `race/room.rs` measures it.

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
