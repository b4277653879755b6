//! What the race check remembers of memory: of every byte the last write and the reads since.
//!
//! | | bytes |
//! | --- | --- |
//! | a word in a touched page | 16 |
//! | what its accesses have in common with those of other words (`nodes.rs`) | 8 or less |
//! | more for a word with weak and strong writes | 16 |
//! | more for a word whose bytes differ otherwise than by the lanes of one warp | 64, and what its bytes need |

mod nodes;

use super::conflict::Strength;
use super::order::Past;

pub use nodes::{Id, NOBODY, Node, Nodes, Reader, What, Who};

/// Words in a page: a page comes into being when one of its words is touched.
const PAGE: usize = 256;
/// Rich cells that come into being at a time.
const PIECE: usize = 64;
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
#[derive(Clone, Copy, Debug)]
pub enum Rich {
    /// A weak write and the last strong one since. It does not cover the weak one and the reads, since it may
    /// be in no conflict with what they race with.
    Writes { weak: (Id, Spread), strong: (Id, Spread) },
    /// The bytes of a word differ, or did.
    Bytes([Cell; WORD as usize]),
}

/// Marks the numbers of rich cells, and among them those of bytes.
const RICH: Id = 1 << 31;
const BYTES: Id = 1 << 30;

/// Rich cells by their numbers.
#[derive(Debug, Default)]
pub struct Riches {
    writes: Pool<[(Id, Spread); 2]>,
    bytes: Pool<[Cell; WORD as usize]>,
}

/// Things that come and go, by their numbers, in pieces that stay where they are.
#[derive(Debug)]
struct Pool<T> {
    pieces: Vec<Box<[T; PIECE]>>,
    /// How many numbers have been given, and those that are free again.
    given: u32,
    free: Vec<u32>,
}

impl<T> Default for Pool<T> {
    fn default() -> Pool<T> {
        Pool { pieces: Vec::new(), given: 0, free: Vec::new() }
    }
}

impl<T: Copy + Default> Pool<T> {
    fn keep(&mut self, thing: T) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            if self.given as usize == self.pieces.len() * PIECE {
                self.pieces.push(Box::new([T::default(); PIECE]));
            }
            self.given += 1;
            self.given - 1
        });
        *self.at(number) = thing;
        number
    }

    fn at(&mut self, number: u32) -> &mut T {
        &mut self.pieces[number as usize / PIECE][number as usize % PIECE]
    }

    fn take(&mut self, number: u32) -> T {
        self.free.push(number);
        *self.at(number)
    }

    fn bytes(&self) -> usize {
        self.pieces.len() * PIECE * size_of::<T>() + self.free.capacity() * size_of::<u32>()
    }
}

impl Riches {
    pub fn is_rich(cell: &Cell) -> bool {
        cell.write & RICH != 0
    }

    /// Whether the bytes of the word differ.
    pub fn is_mixed(cell: &Cell) -> bool {
        cell.write & (RICH | BYTES) == RICH | BYTES
    }

    /// The number that stands in place of the last write.
    pub fn keep(&mut self, rich: Rich) -> Id {
        match rich {
            Rich::Writes { weak, strong } => RICH | self.writes.keep([weak, strong]),
            Rich::Bytes(all) => RICH | BYTES | self.bytes.keep(all),
        }
    }

    /// The weak and the strong write of a rich cell that is not mixed.
    pub fn both(&mut self, cell: &Cell) -> Option<&mut [(Id, Spread); 2]> {
        let is_there = Riches::is_rich(cell) && !Riches::is_mixed(cell);
        is_there.then(|| self.writes.at(cell.write & !RICH))
    }

    /// The last writes.
    pub fn writes(&mut self, cell: &Cell) -> [(Id, Spread); 2] {
        match self.both(cell) {
            Some(both) => *both,
            None => [(cell.write, cell.wrote), (NOBODY, cell.wrote)],
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
        let number = cell.write & !(RICH | BYTES);
        if Riches::is_mixed(cell) {
            return Rich::Bytes(self.bytes.take(number));
        }
        let [weak, strong] = self.writes.take(number);
        Rich::Writes { weak, strong }
    }

    fn bytes(&self) -> usize {
        self.writes.bytes() + self.bytes.bytes()
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
        self.pages.capacity() * size_of::<usize>() + self.riches.bytes()
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
