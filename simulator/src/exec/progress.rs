//! Whether a launch gets on, which tells an endless loop from a long run.
//!
//! Under checks a launch may execute only so many instructions after a thread has exited. Each piece of
//! global memory that is touched for the first time brings some more, and so does a block that begins. There
//! is an end to all of these, while an endless loop may well store values, change them and meet at barriers.

use crate::memory::number_and_offset;

/// Instructions of warps without progress: two seconds of a run under checks.
const PATIENCE: u64 = 1 << 22;
/// What each warp of a new block adds, and each new piece of memory.
const A_WARP: u64 = 1 << 10;
const A_PIECE: u64 = 1 << 10;
/// Grids at a greater depth bring nothing: they may go on for ever, each as the child of the one before.
pub const DEEP: u32 = 1024;
/// Memory is told apart by pieces of so many bytes.
const PIECE: u64 = 64;

#[derive(Debug)]
pub struct Progress {
    /// `None` without a limit of this kind.
    left: Option<u64>,
    /// Pieces of each allocation that have been touched, a bit each.
    touched: Vec<Vec<u64>>,
}

impl Progress {
    pub fn new(limited: bool) -> Progress {
        Progress { left: limited.then_some(PATIENCE), touched: Vec::new() }
    }

    /// One instruction more; whether it is one too many.
    #[inline]
    pub fn step(&mut self) -> bool {
        match &mut self.left {
            None => false,
            Some(0) => true,
            Some(left) => {
                *left -= 1;
                false
            }
        }
    }

    /// A block of so many warps begins, in a grid of this depth.
    pub fn block(&mut self, warps: usize, depth: u32) {
        if let Some(left) = self.left.as_mut().filter(|_| depth <= DEEP) {
            *left += warps as u64 * A_WARP;
        }
    }

    /// A thread of a grid of this depth exits.
    pub fn exit(&mut self, depth: u32) {
        if let Some(left) = self.left.as_mut().filter(|_| depth <= DEEP) {
            *left = PATIENCE.max(*left);
        }
    }

    /// Global memory is touched.
    #[inline]
    pub fn touch(&mut self, address: u64) {
        if self.left.is_none() || address >> 56 != 0 {
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
            if let Some(left) = self.left.as_mut().filter(|left| **left < PATIENCE) {
                *left += A_PIECE;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_ends_unless_the_launch_gets_on() {
        let mut progress = Progress::new(true);
        let buffer = 1 << 36;
        let steps = |progress: &mut Progress| (0..).take_while(|_| !progress.step()).count() as u64;
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
    fn without_a_limit_it_never_ends() {
        let mut progress = Progress::new(false);
        assert!((0..2 * PATIENCE).all(|_| !progress.step()));
    }
}
