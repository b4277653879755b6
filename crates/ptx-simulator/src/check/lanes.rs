//! Lanes of a warp that access the same word; and lists by numbers, of threads, warps or branches.

use super::shadow::{Spread, Who};
use crate::arith::{WARP, lanes};

/// The lanes that access a word: the first, and which others from there on.
#[derive(Clone, Copy, PartialEq)]
pub struct Lanes {
    pub first: Spread,
    pub mask: u32,
}

impl Lanes {
    /// One for each byte, or for more of them.
    #[inline(always)]
    pub fn one(lane: usize, bytes: u32) -> Lanes {
        Lanes { first: Spread::new(lane, bytes), mask: 1 }
    }

    /// The lanes that access a byte.
    pub fn at(self, byte: usize) -> u32 {
        self.mask << self.first.lane(byte)
    }

    /// Those that access a byte, for that byte by itself.
    pub fn of_byte(self, byte: usize) -> Lanes {
        Lanes { first: self.first.of_byte(byte), ..self }
    }

    /// The same, relative to other lanes that access the word in the same way.
    #[inline(always)]
    pub fn relative_to(self, spread: Spread) -> Option<Who> {
        let further = self.first.relative_to(spread)?;
        Some(Who { further, mask: self.mask })
    }
}

/// Whether the words of the lanes of `mask` grow from lane to lane, so that no two are the same.
pub fn ascends(words: &[u32; WARP], mask: u32) -> bool {
    if mask == u32::MAX {
        return words.windows(2).fold(true, |all, pair| all & (pair[0] < pair[1]));
    }
    let numbers = || lanes(mask).map(|lane| words[lane]);
    numbers().zip(numbers().skip(1)).all(|(one, next)| one < next)
}

/// The lanes with this word.
pub fn equal(words: &[u32; WARP], word: u32) -> u32 {
    words.iter().enumerate().fold(0, |mask, (lane, other)| mask | ((*other == word) as u32) << lane)
}

/// What stands at a place, or will.
pub fn at<T: Clone + Default>(all: &mut Vec<T>, place: u32) -> &mut T {
    if all.len() <= place as usize {
        all.resize(place as usize + 1, T::default());
    }
    &mut all[place as usize]
}
