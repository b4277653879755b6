//! never-read: what a thread has left in shared memory and no thread reads, though what its neighbours left
//! there by the same instruction is read. So a tree loses an element where its length is no power of two.
//!
//! Much is stored and not read, and nothing is wrong: corners of a tile, lanes of a warp that is reduced as
//! a whole, a scan of more elements than are asked for. So this looks only at arrays whose elements are
//! updated in place, at what is there when the block ends, and at stores of which more than half is read, by
//! threads in a row, an element each. What the last update leaves is a result, of which some may be
//! enough.

use rustc_hash::FxHashMap;

use super::order::{Past, Time};
use super::race::Left;
use crate::arith::WARP;
use crate::decode::{Op, Program};
use crate::ptx::Space;

/// Blocks of a launch whose memory is looked at.
const MAX_BLOCKS: u32 = 64;

/// Stores of one line between two barriers: an array, the line, and when.
type Stores = (u64, u32, Time);

/// What of them is there when the block ends.
#[derive(Debug, Default)]
struct Counts {
    read: usize,
    unread: usize,
    first: Option<(Past, u64, u8)>,
    /// Threads, counted over all grids, with the number of the element that each has stored.
    row: Vec<(u64, u64)>,
}

impl Counts {
    fn add(&mut self, past: Past, is_read: bool, place: (u64, u8)) {
        let thread = u64::from(past.warp) * WARP as u64 + u64::from(past.lane);
        self.row.push((thread, place.0 / u64::from(place.1)));
        if is_read {
            self.read += 1;
        } else {
            self.unread += 1;
            self.first.get_or_insert((past, place.0, place.1));
        }
    }

    /// Whether some elements are unread, fewer than those that are read and the `overwritten` ones, and all
    /// stand in a row: each thread has one, and from thread to thread it is as many elements further.
    fn are_few(&mut self, overwritten: usize) -> bool {
        self.row.sort_unstable();
        let step = |pair: &[(u64, u64)]| {
            let threads = pair[1].0 - pair[0].0;
            let elements = pair[1].1.checked_sub(pair[0].1)?;
            (threads > 0 && elements.is_multiple_of(threads)).then(|| elements / threads)
        };
        let mut steps = self.row.windows(2).map(step);
        let first = steps.next().flatten();
        let is_row = first.is_some_and(|step| step > 0) && steps.all(|step| step == first);
        is_row && (1..self.read + overwritten).contains(&self.unread)
    }
}

#[derive(Debug, Default)]
pub struct Unread {
    /// Blocks that are still to be looked at.
    left: u32,
}

impl Unread {
    pub fn new(program: &Program) -> Unread {
        let updates =
            |op: &Op| matches!(op, Op::Store { space: Space::Shared | Space::Generic, updates: true, .. });
        let mut code = program.functions.iter().flat_map(|function| &function.code);
        Unread { left: if code.any(|inst| updates(&inst.op)) { MAX_BLOCKS } else { 0 } }
    }

    /// A block ends: whether it is one of those that are looked at.
    pub fn looks_at_another(&mut self) -> bool {
        let looks = self.left > 0;
        self.left -= u32::from(looks);
        looks
    }
}

/// Something that a thread has left in shared memory and no thread reads.
#[derive(Debug)]
pub struct Lost {
    pub past: Past,
    pub loc: u32,
    /// Where it begins in the shared memory of its block, and its bytes.
    pub offset: u64,
    pub width: u8,
}

/// What of all that a block `left` is lost, by line; with each the place where its array begins.
pub fn lost(left: impl Iterator<Item = (u64, Left)>) -> Vec<Lost> {
    let mut stores: FxHashMap<Stores, Counts> = FxHashMap::default();
    let mut updates: Vec<Stores> = Vec::new();
    for (start, Left { offset, past, loc, width, updates: is_update, is_read }) in left {
        let these = (start, loc, past.time);
        if is_update {
            updates.push(these);
        }
        stores.entry(these).or_default().add(past, is_read, (offset, width));
    }
    let is_lost = |((start, loc, time), counts): &mut (Stores, Counts)| {
        let mut later = updates.iter().filter(|other| other.0 == *start && other.2 > *time).peekable();
        let is_no_result = later.peek().is_some();
        // An update reads what it overwrites.
        let overwritten = later.filter(|other| other.1 == *loc).count();
        is_no_result && counts.are_few(overwritten)
    };
    let mut all: Vec<(Stores, Counts)> = stores.into_iter().collect();
    all.retain_mut(is_lost);
    all.sort_by_key(|((_, loc, time), _)| (*loc, *time));
    let first = |((_, loc, _), counts): (Stores, Counts)| {
        let (past, offset, width) = counts.first?;
        Some(Lost { past, loc, offset, width })
    };
    all.into_iter().filter_map(first).collect()
}
