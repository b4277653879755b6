//! What the race check remembers of memory: of every byte the last write and the reads since.
//!
//! | | bytes |
//! | --- | --- |
//! | a word in a touched page | 16 |
//! | what its accesses have in common with those of other words (`nodes.rs`) | 8 or less |
//! | more for a word with weak and strong writes | 24 |
//! | more for a word whose bytes differ otherwise than by the lanes of one warp | 64 |

mod nodes;

use super::conflict::Strength;
use super::order::Past;

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

/// What is known of a word, or of a byte.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cell {
    /// The last write, or the number of a [`Rich`].
    pub write: Id,
    /// The reads since the last weak write; what had no room in the set is in the second.
    pub reads: Id,
    pub second: Id,
    /// The lanes of these.
    pub wrote: Spread,
    pub read: Spread,
    pub second_read: Spread,
}

const _: () = assert!(size_of::<Cell>() == 16);

/// What a [`Cell`] cannot hold.
#[derive(Clone, Debug)]
pub enum Rich {
    /// A weak write and the last strong one since. It does not cover the weak one and the reads, since it may
    /// be in no conflict with what they race with.
    Writes {
        weak: (Id, Spread),
        strong: (Id, Spread),
    },
    /// The bytes of a word differ, or did.
    Bytes(Box<[Cell; WORD as usize]>),
    Free,
}

/// Marks the numbers of rich cells.
const RICH: Id = 1 << 31;

/// Rich cells by their numbers.
#[derive(Debug, Default)]
pub struct Riches {
    all: Vec<Rich>,
    free: Vec<u32>,
}

impl Riches {
    pub fn is_rich(cell: &Cell) -> bool {
        cell.write & RICH != 0
    }

    pub fn get(&mut self, cell: &Cell) -> Option<&mut Rich> {
        Riches::is_rich(cell).then(|| &mut self.all[(cell.write & !RICH) as usize])
    }

    /// The number that stands in place of the last write.
    pub fn keep(&mut self, rich: Rich) -> Id {
        let number = self.free.pop().unwrap_or_else(|| {
            self.all.push(Rich::Free);
            self.all.len() as u32 - 1
        });
        self.all[number as usize] = rich;
        number | RICH
    }

    /// The last writes.
    pub fn writes(&mut self, cell: &Cell) -> [(Id, Spread); 2] {
        match self.get(cell) {
            Some(Rich::Writes { weak, strong }) => [*weak, *strong],
            _ => [(cell.write, cell.wrote), (NOBODY, cell.wrote)],
        }
    }

    /// There are no last writes any more.
    pub fn forget(&mut self, cell: &mut Cell) {
        if Riches::is_rich(cell) {
            self.take(cell);
        }
        cell.write = NOBODY;
    }

    pub fn take(&mut self, cell: &Cell) -> Rich {
        self.free.push(cell.write & !RICH);
        std::mem::replace(&mut self.all[(cell.write & !RICH) as usize], Rich::Free)
    }
}

/// The memory of one allocation, or the shared memory of one block.
#[derive(Debug, Default)]
pub struct Region {
    pages: Vec<Option<Box<[Cell; PAGE]>>>,
    pub riches: Riches,
}

impl Region {
    /// Bytes besides those of [`Nodes::bytes`], at most.
    pub fn bytes(&self) -> usize {
        self.pages.capacity() * size_of::<usize>()
            + self.riches.all.capacity() * (size_of::<Rich>() + size_of::<[Cell; WORD as usize]>())
    }

    /// The cell of a word, and the rich ones.
    #[inline(always)]
    pub fn word(&mut self, number: u64, nodes: &mut Nodes) -> (&mut Cell, &mut Riches) {
        let (page, word) = (number as usize / PAGE, number as usize % PAGE);
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || None);
        }
        let cells = self.pages[page].get_or_insert_with(|| {
            nodes.words += PAGE;
            Box::new([Cell::default(); PAGE])
        });
        (&mut cells[word], &mut self.riches)
    }
}

impl Cell {
    /// The same of one byte of a word.
    pub fn byte(&self, byte: usize) -> Cell {
        let spreads = [self.wrote, self.read, self.second_read];
        let [wrote, read, second_read] = spreads.map(|spread| spread.of_byte(byte));
        Cell { wrote, read, second_read, ..*self }
    }
}
