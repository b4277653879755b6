//! What the race check remembers of memory: of all bytes that are accessed alike, who wrote them last, and
//! who has read them since.

use super::conflict::{Strength, morally_strong};
use super::order::{Past, Time};
use crate::arith::lanes;
use crate::observe::Access;
use crate::ptx::Scope;

/// How a line of the program accesses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct How {
    /// Index into the program's line table.
    pub loc: u32,
    pub strength: Strength,
    pub access: Access,
    /// Bytes of an element: two strong accesses of different width are not morally strong (PTX ISA 8.7,
    /// "overlap completely").
    pub width: u8,
    /// Of a read whose value is followed: its number (`reads.rs`), counted from 1.
    pub read: u32,
    /// Half of an update (`decode/updates.rs`).
    pub updates: bool,
}

impl How {
    /// Whether two accesses to a byte are both strong, at scopes that include both threads, and overlap
    /// completely.
    pub fn is_morally_strong(&self, other: &How, both: Scope) -> bool {
        self.width == other.width && morally_strong(self.strength, other.strength, both)
    }
}

/// An access that has happened, by the same lanes of some warps of a block; if they are none, there was none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Touched {
    /// The first warp of the block, counted over all grids.
    pub block: u32,
    /// Bits for warps of the block, and for their lanes.
    pub warps: u32,
    pub mask: u32,
    pub time: Time,
    /// Index into the list of all [`How`].
    pub how: u32,
}

impl Touched {
    pub fn is_nobody(&self) -> bool {
        self.mask == 0
    }

    /// The same threads.
    pub fn is_by(&self, other: &Touched) -> bool {
        (self.block, self.warps, self.mask) == (other.block, other.warps, other.mask)
    }

    /// Each of them.
    pub fn pasts(self) -> impl Iterator<Item = Past> {
        let past =
            move |warp, lane| Past { warp: self.block + warp as u32, lane: lane as u8, time: self.time };
        lanes(self.warps).flat_map(move |warp| lanes(self.mask).map(move |lane| past(warp, lane)))
    }

    /// Takes in an access by a warp, if the two differ in their lanes, or in their warps, at most.
    #[inline(always)]
    pub fn takes_in(&mut self, other: &Touched) -> bool {
        let is_alike = (self.block, self.time, self.how) == (other.block, other.time, other.how);
        let fits = is_alike && (self.warps == other.warps || self.mask == other.mask);
        if fits {
            self.warps |= other.warps;
            self.mask |= other.mask;
        }
        fits
    }
}

/// What is known of a byte, or of up to 16 that have been accessed alike.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cell {
    /// The last write.
    pub write: Touched,
    /// A read since the last weak write.
    pub read: Touched,
    /// The number of its [`More`] in the region, counted from 1; 0: there is no more to know.
    pub more: u32,
}

/// What else is known.
#[derive(Clone, Debug, Default)]
pub struct More {
    /// If the last write is strong, the last weak one before. It is not covered, and neither are the reads
    /// since: the strong one may be in no conflict with what they race with.
    pub weak: Touched,
    /// Further reads since the last weak write.
    pub reads: Vec<Touched>,
    /// If the last write is strong, the strong reads that have observed it. It is before what comes after
    /// one of them (PTX ISA 8.9.5, causality order: an observation, and what follows that).
    pub observers: Vec<Touched>,
}

/// Bytes of a page, which comes into being when one of them is touched.
const PAGE: u64 = 1 << 10;
/// Bytes of a cell are at most 2 to this power.
pub const WIDEST: u32 = 4;

/// The cells of a page, of 2 to the power `shift` bytes each. Most memory is only read or only written, so
/// what they hold is in lists of their own, which are empty as long as no cell has such a thing.
#[derive(Debug, Default)]
pub struct Page {
    shift: u32,
    pub writes: Vec<Touched>,
    pub reads: Vec<Touched>,
    more: Vec<u32>,
}

impl Page {
    pub fn cell(&self, at: usize) -> Cell {
        let of = |all: &[Touched]| all.get(at).copied().unwrap_or_default();
        Cell { write: of(&self.writes), read: of(&self.reads), more: self.more(at) }
    }

    /// The number of a cell's [`More`]; 0: there is none.
    pub fn more(&self, at: usize) -> u32 {
        self.more.get(at).copied().unwrap_or_default()
    }

    pub fn set(&mut self, at: usize, cell: Cell, lists: &mut Lists) {
        let Cell { write, read, more } = cell;
        put(&mut self.writes, self.shift, at, write, lists);
        put(&mut self.reads, self.shift, at, read, lists);
        put(&mut self.more, self.shift, at, more, lists);
    }

    #[inline(always)]
    pub fn set_write(&mut self, at: usize, write: Touched, lists: &mut Lists) {
        put(&mut self.writes, self.shift, at, write, lists);
    }

    #[inline(always)]
    pub fn set_read(&mut self, at: usize, read: Touched, lists: &mut Lists) {
        put(&mut self.reads, self.shift, at, read, lists);
    }
}

/// Puts what a cell holds into a list of its page.
#[inline(always)]
fn put<T: Copy + Default + PartialEq>(all: &mut Vec<T>, shift: u32, at: usize, one: T, lists: &mut Lists) {
    if all.is_empty() {
        if one == T::default() {
            return;
        }
        *all = vec![T::default(); PAGE as usize >> shift];
        lists.bytes += size_of_val(&all[..]);
    }
    all[at] = one;
}

/// What else is known of some cells, each by its number.
#[derive(Debug, Default)]
pub struct Lists {
    all: Vec<More>,
    /// Reads in all of them.
    pub reads: usize,
    /// Bytes of all pages.
    bytes: usize,
}

impl Lists {
    /// Of a cell that has a number, or gets one.
    pub fn of(&mut self, cell: &mut Cell) -> &mut More {
        if cell.more == 0 {
            self.all.push(More::default());
            cell.more = self.all.len() as u32;
        }
        &mut self.all[cell.more as usize - 1]
    }

    /// The strong reads that have observed the last write of a cell, by its number.
    pub fn observers(&self, more: u32) -> &[Touched] {
        let more = (more as usize).checked_sub(1).and_then(|number| self.all.get(number));
        more.map_or(&[], |more| &more.observers)
    }

    /// The same, for another cell.
    fn copy(&mut self, cell: &mut Cell) {
        let more = self.of(cell).clone();
        self.reads += more.reads.len();
        cell.more = 0;
        *self.of(cell) = more;
    }
}

/// The memory of one allocation, or the shared memory of one block.
#[derive(Debug, Default)]
pub struct Region {
    pages: Vec<Option<Box<Page>>>,
    pub lists: Lists,
}

impl Region {
    /// Bytes that it takes, about.
    pub fn bytes(&self) -> usize {
        let Lists { all, reads, bytes } = &self.lists;
        // Observers are few, and not counted.
        bytes + all.len() * size_of::<More>() + reads * size_of::<Touched>()
    }

    /// What is known of the byte at `offset`.
    pub fn known(&self, offset: u64) -> Option<Cell> {
        let page = self.pages.get((offset / PAGE) as usize)?.as_ref()?;
        Some(page.cell((offset % PAGE) as usize >> page.shift))
    }

    /// All cells, with the offsets of their first bytes.
    pub fn cells(&self) -> impl Iterator<Item = (u64, Cell)> + '_ {
        (0..).zip(&self.pages).filter_map(|(number, page)| Some((number, page.as_ref()?))).flat_map(
            |(number, page): (u64, _)| {
                (0..page.writes.len())
                    .map(move |at| (number * PAGE + ((at as u64) << page.shift), page.cell(at)))
            },
        )
    }

    /// The page that `offset` lies in, whose cells have at most 2 to the power `shift` bytes; which of them
    /// it is, and how many bytes it has.
    #[inline(always)]
    pub fn page(&mut self, offset: u64, shift: u32) -> (&mut Page, usize, u64, &mut Lists) {
        let number = (offset / PAGE) as usize;
        if !matches!(self.pages.get(number), Some(Some(page)) if page.shift <= shift) {
            self.make_room(number, shift);
        }
        let Some(Some(page)) = self.pages.get_mut(number) else { unreachable!("there is room") };
        let shift = page.shift;
        (page, (offset % PAGE) as usize >> shift, 1 << shift, &mut self.lists)
    }

    /// Makes a page whose cells have 2 to the power `shift` bytes, in place of one whose cells have more.
    #[cold]
    fn make_room(&mut self, number: usize, shift: u32) {
        if self.pages.len() <= number {
            self.pages.resize_with(number + 1, || None);
        }
        let mut page = Box::new(Page { shift, ..Page::default() });
        if let Some(old) = self.pages[number].take() {
            let parts = 1 << (old.shift - shift);
            for at in 0..PAGE as usize >> shift {
                let mut cell = old.cell(at / parts);
                if cell.more != 0 && !at.is_multiple_of(parts) {
                    self.lists.copy(&mut cell);
                }
                page.set(at, cell, &mut self.lists);
            }
            let Page { writes, reads, more, .. } = &*old;
            self.lists.bytes -= size_of_val(&writes[..]) + size_of_val(&reads[..]) + size_of_val(&more[..]);
        }
        self.pages[number] = Some(page);
    }
}
