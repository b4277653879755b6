//! uninitialized-read: which thread should have written an element that none has.
//!
//! Threads mostly write elements in a row, each its own. Where those beside it were written by one
//! instruction, the row goes on to the thread whose element it would have been: it was left out by a guard.

use super::Checker;
use super::conflict::Who;
use super::order::BlockId;
use crate::arith::WARP;
use crate::ptx::Space;
use crate::what::{Access, Region, Side, Site, Spot};

/// Elements that are looked at, on each side.
const REACH: i64 = 1 << 10;

/// The store of an element: the thread, counted over its grid, and its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stored {
    grid: u32,
    thread: i64,
    loc: u32,
}

impl Checker<'_> {
    /// The thread that should have written what a thread of block `id` has read at `spot`, and where.
    pub(super) fn writer(&self, id: BlockId, spot: &Spot) -> Option<Side> {
        let below = self.next_in_row(id, spot, -1);
        let above = self.next_in_row(id, spot, 1);
        let (next, step) = below.or(above)?;
        if next.thread < 0 || !self.is_one_row(id, spot, (next, step)) {
            return None;
        }
        let threads = i64::from(self.order.grids[next.grid as usize].threads());
        let who = Who {
            grid: next.grid,
            block: (next.thread / threads) as u64,
            thread: (next.thread % threads) as u32,
            loc: next.loc,
        };
        let is_shared = matches!(spot.region, Region::Shared { .. });
        let blocks = self.order.grids[next.grid as usize].blocks();
        let is_there = if is_shared { (who.grid, who.block) == id } else { who.block < blocks };
        is_there.then(|| self.side(Access::Store, who))
    }

    /// Where the threads of block `id` each store one element of the array of `spot`, in a row that ends with
    /// the last of them before it comes to `spot`: the line, and how many threads there are.
    pub(super) fn row_of_all_threads(&self, id: BlockId, spot: &Spot) -> Option<(Site, u32)> {
        let (grid, block) = id;
        let is_shared = matches!(spot.region, Region::Shared { .. });
        let (next, step) = self.next_in_row(id, spot, -1).filter(|_| is_shared)?;
        let threads = self.order.grids.get(grid as usize)?.threads();
        let first = block as i64 * i64::from(threads);
        let ends_before = step == 1 && next.grid == grid && next.thread >= first + i64::from(threads);
        if !ends_before || !self.is_one_row(id, spot, (next, step)) {
            return None;
        }
        let (file, line) = self.site(next.loc)?;
        let message = "each thread writes one element here".to_string();
        Some((Site { file, line, message }, threads))
    }

    /// Whether all that the same line has stored near `spot` fits in with thread `next` there, and `step`
    /// threads more for each element: there is no gap between two rows.
    fn is_one_row(&self, id: BlockId, spot: &Spot, (next, step): (Stored, i64)) -> bool {
        (-REACH..=REACH).all(|at| {
            let stored = self.stored(id, spot, at).filter(|stored| stored.loc == next.loc);
            stored.is_none_or(|stored| stored == Stored { thread: next.thread + at * step, ..next })
        })
    }

    /// Where the row of stores on one side of `spot` leads to, and by how many threads it goes on from
    /// element to element: the nearest two say it.
    fn next_in_row(&self, id: BlockId, spot: &Spot, side: i64) -> Option<(Stored, i64)> {
        let (distance, near) =
            (1..=REACH).find_map(|distance| Some((distance, self.stored(id, spot, side * distance)?)))?;
        let next = self.stored(id, spot, side * (distance + 1))?;
        let step = near.thread - next.thread;
        let is_row = (near.grid, near.loc) == (next.grid, next.loc) && step != 0;
        is_row.then_some((Stored { thread: near.thread + distance * step, ..near }, -side * step))
    }

    /// Who has stored the element that comes so many after `spot`, other than by an update.
    fn stored(&self, (grid, block): BlockId, spot: &Spot, elements: i64) -> Option<Stored> {
        let byte = spot.byte + elements * i64::from(spot.element.unwrap_or(WORD));
        let past = match &spot.region {
            Region::Shared { start, block: None } => {
                let size = spot.size.unwrap_or(u64::MAX);
                let offset = u64::try_from(byte).ok().filter(|byte| *byte < size)?;
                self.shadow.stored(Space::Shared, (grid, block), start + offset)
            }
            Region::Shared { .. } => None,
            region => {
                let (number, _) = self.names.iter().find(|(_, known)| known == region)?;
                self.shadow.stored(Space::Global, (grid, *number), u64::try_from(byte).ok()?)
            }
        };
        let (past, loc) = past?;
        let ((grid, block), warp) = self.order.locate(past.warp);
        let threads = u64::from(self.order.grids[grid as usize].threads());
        let thread = block * threads + u64::from(warp) * WARP as u64 + u64::from(past.lane);
        Some(Stored { grid, thread: thread as i64, loc })
    }
}

/// Bytes of an element that has no other size.
const WORD: u32 = 4;
