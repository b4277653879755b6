//! What the race check remembers of memory: of all bytes that are accessed alike, who wrote them last, and
//! who has read them since.

use super::conflict::Strength;
use super::order::{Past, Time};
use crate::observe::Access;

/// An access that has happened, by lanes of one warp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touched {
    /// Counted over all grids.
    pub warp: u32,
    pub mask: u32,
    pub time: Time,
    /// Index into the program's line table.
    pub loc: u32,
    pub strength: Strength,
    pub access: Access,
}

impl Touched {
    pub fn past(&self, lane: usize) -> Past {
        Past { warp: self.warp, lane: lane as u8, time: self.time }
    }

    pub fn writes(&self) -> bool {
        self.access != Access::Load
    }

    /// Whether the two differ in their lanes at most.
    #[inline(always)]
    pub fn is_like(&self, other: &Touched) -> bool {
        Touched { mask: other.mask, ..*self } == *other
    }
}

/// What is known of a byte, or of up to 16 that have been accessed alike.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// The last write.
    pub write: Option<Touched>,
    /// A read since the last weak write, and all further ones in their order. If the last write is strong, so
    /// is the last weak one among them: it is not covered, and neither are the reads since, as the strong one
    /// may be in no conflict with what they race with.
    pub read: Option<Touched>,
    pub others: Vec<Touched>,
}

/// Bytes of a page, which comes into being when one of them is touched.
const PAGE: u64 = 1 << 10;
/// Bytes of a cell are at most 2 to this power.
const WIDEST: u32 = 4;

/// The cells of a page, of 2 to the power `shift` bytes each.
#[derive(Debug)]
struct Page {
    shift: u32,
    cells: Box<[Cell]>,
}

/// The memory of one allocation, or the shared memory of one block.
#[derive(Debug, Default)]
pub struct Region {
    pages: Vec<Option<Page>>,
    /// Cells in all pages, and accesses in all lists of the cells.
    cells: usize,
    pub others: usize,
}

impl Region {
    /// Bytes that it takes, about.
    pub fn bytes(&self) -> usize {
        self.cells * size_of::<Cell>() + self.others * size_of::<Touched>()
    }

    /// Calls `visit` with each cell of these bytes, and the offset of the first byte in it that is meant.
    #[inline(always)]
    pub fn each(&mut self, offset: u64, bytes: u32, mut visit: impl FnMut(&mut Cell, u64, &mut usize)) {
        let (mut at, end) = (offset, offset + u64::from(bytes));
        let shift = (offset | u64::from(bytes)).trailing_zeros().min(WIDEST);
        while at < end {
            let number = (at / PAGE) as usize;
            let page = match self.pages.get_mut(number) {
                Some(Some(page)) if page.shift <= shift => page,
                _ => {
                    self.make_room(number, shift);
                    let Some(Some(page)) = self.pages.get_mut(number) else { return };
                    page
                }
            };
            visit(&mut page.cells[(at % PAGE) as usize >> page.shift], at, &mut self.others);
            at += 1 << page.shift;
        }
    }

    /// Makes a page whose cells have no more than 2 to the power `shift` bytes.
    #[cold]
    fn make_room(&mut self, number: usize, shift: u32) {
        if self.pages.len() <= number {
            self.pages.resize_with(number + 1, || None);
        }
        let cells: Box<[Cell]> = match &self.pages[number] {
            None => vec![Cell::default(); PAGE as usize >> shift].into(),
            Some(page) => {
                self.cells -= page.cells.len();
                self.others -= page.cells.iter().map(|cell| cell.others.len()).sum::<usize>();
                let parts = |cell| std::iter::repeat_n(cell, 1 << (page.shift - shift));
                page.cells.iter().cloned().flat_map(parts).collect()
            }
        };
        self.cells += cells.len();
        self.others += cells.iter().map(|cell| cell.others.len()).sum::<usize>();
        self.pages[number] = Some(Page { shift, cells });
    }
}
