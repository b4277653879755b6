//! Whether a launch gets on, which tells an endless loop from a long run.
//!
//! Under checks, a launch is stopped as soon as every warp that has not ended waits, or stands where it stood
//! before with the same values in its registers, and no byte of memory has changed in between: nothing can
//! change any more. Any other loop that does not end has to be told from a long run by a limit: so many
//! instructions after a thread has exited. A block that begins brings some more, and under checks each piece
//! of global memory that is touched for the first time. There is an end to all of these.

use crate::memory::number_and_offset;

/// Instructions of warps without progress: seconds without checks, and up to half a minute under them.
pub const PATIENCE: u64 = 1 << 26;
/// What each warp of a new block adds, and each new piece of memory.
const A_WARP: u64 = 1 << 12;
const A_PIECE: u64 = 1 << 10;
/// Grids at a greater depth bring nothing: they may go on for ever, each as the child of the one before.
const DEEP: u32 = 1024;
/// Memory is told apart by pieces of so many bytes.
const PIECE: u64 = 64;

/// What a launch has executed, and how much more it may.
#[derive(Debug)]
pub struct Progress {
    /// Instructions of warps: so far, and at which number it ends.
    pub executed: u64,
    end: u64,
    /// The same, times the lanes that were active.
    pub by_threads: u64,
    /// Whether progress moves the end: not if the caller has set it.
    pub moves: bool,
    /// Pieces of each allocation that have been touched, a bit each.
    touched: Vec<Vec<u64>>,
    /// What has changed, counted; and how many warps have gone round in a circle or waited since.
    changes: u64,
    pub stuck: usize,
}

impl Progress {
    /// `limit`: instructions of warps in all.
    pub fn new(limit: Option<u64>) -> Progress {
        let (end, moves) = (limit.unwrap_or(PATIENCE), limit.is_none());
        Progress { executed: 0, end, by_threads: 0, moves, touched: Vec::new(), changes: 1, stuck: 0 }
    }

    /// One instruction more, of so many threads, unless it is one too many.
    #[inline(always)]
    pub fn step(&mut self, threads: u32) -> bool {
        if self.executed == self.end {
            return false;
        }
        self.executed += 1;
        self.by_threads += u64::from(threads);
        true
    }

    /// A block of so many warps begins, in a grid of this depth.
    pub fn block(&mut self, warps: usize, depth: u32) {
        self.changed();
        if self.moves && depth <= DEEP {
            self.end += warps as u64 * A_WARP;
        }
    }

    /// A thread of a grid of this depth exits.
    pub fn exit(&mut self, depth: u32) {
        self.changed();
        if self.moves && depth <= DEEP {
            self.end = self.end.max(self.executed + PATIENCE);
        }
    }

    /// Memory has changed, or something else that threads can wait for.
    #[inline]
    pub fn changed(&mut self) {
        (self.changes, self.stuck) = (self.changes + 1, 0);
    }

    /// Tells one state of all memory from another.
    #[inline]
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// A warp does not get on by itself; `since` is the warp's own note of when it last did not.
    pub fn stuck(&mut self, since: &mut u64) {
        self.stuck += (*since != self.changes) as usize;
        *since = self.changes;
    }

    /// Global memory is touched.
    #[inline]
    pub fn touch(&mut self, address: u64) {
        if !self.moves || address >> 56 != 0 {
            return;
        }
        let (number, offset) = number_and_offset(address);
        let (number, piece) = (number as usize, offset / PIECE);
        if self.touched.len() <= number {
            self.touched.resize_with(number + 1, Vec::new);
        }
        let pieces = &mut self.touched[number];
        let word = (piece / 64) as usize;
        if pieces.len() <= word {
            pieces.resize(word + 1, 0);
        }
        if pieces[word] >> (piece % 64) & 1 == 0 {
            pieces[word] |= 1 << (piece % 64);
            if self.end - self.executed < PATIENCE {
                self.end += A_PIECE;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_ends_unless_the_launch_gets_on() {
        let mut progress = Progress::new(None);
        let buffer = 1 << 36;
        let steps = |progress: &mut Progress| (0..).take_while(|_| progress.step(32)).count() as u64;
        progress.touch(buffer);
        assert_eq!(steps(&mut progress), PATIENCE);
        progress.touch(buffer + 60);
        assert_eq!(steps(&mut progress), 0);
        progress.touch(buffer + 64);
        assert_eq!(steps(&mut progress), A_PIECE);
        progress.block(8, 0);
        assert_eq!(steps(&mut progress), 8 * A_WARP);
        progress.exit(DEEP + 1);
        assert_eq!(steps(&mut progress), 0);
        progress.exit(DEEP);
        assert_eq!(steps(&mut progress), PATIENCE);
    }

    #[test]
    fn a_limit_that_is_set_stays() {
        let mut progress = Progress::new(Some(1000));
        progress.block(8, 0);
        assert_eq!((0..2000).filter(|_| progress.step(32)).count(), 1000);
        progress.exit(0);
        assert!(!progress.step(32));
    }

    #[test]
    fn warps_are_stuck_until_something_changes() {
        let mut progress = Progress::new(None);
        let mut since = [0; 2];
        for warp in [0, 0, 1, 1, 0] {
            progress.stuck(&mut since[warp]);
        }
        assert_eq!(progress.stuck, 2);
        progress.changed();
        progress.stuck(&mut since[1]);
        assert_eq!(progress.stuck, 1);
    }
}
