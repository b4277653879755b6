//! One memory beside another that began with the same allocations: what two orders of a launch leave.

use std::hash::BuildHasher;
use std::ops::Range;

use rustc_hash::FxBuildHasher;

use super::super::read;
use super::{Memory, OFFSET_BITS};

impl Memory {
    /// The first of some addresses (of all: `None`) at which another memory, which began with the same
    /// allocations, holds something else, in words of `bytes` bytes; with what both hold.
    pub fn first_difference(
        &self,
        other: &Memory,
        bytes: usize,
        among: Option<Range<u64>>,
    ) -> Option<(u64, [u64; 2])> {
        let is_compared = |address: &u64| among.as_ref().is_none_or(|among| among.contains(address));
        for (number, (mine, theirs)) in (1..).zip(self.allocations.iter().zip(&other.allocations)) {
            if !mine.live || !theirs.live || mine.bytes == theirs.bytes {
                continue;
            }
            let words = mine.bytes.chunks(bytes).zip(theirs.bytes.chunks(bytes));
            let words = (0..).map(|at: u64| (number << OFFSET_BITS) + at * bytes as u64).zip(words);
            let mut differing = words.filter(|(address, (one, other))| one != other && is_compared(address));
            if let Some((address, (one, other))) = differing.next() {
                return Some((address, [read(one), read(other)]));
            }
        }
        None
    }

    /// Whether another memory, which began with the same allocations, holds the same words in another order:
    /// of some addresses, or of all, and each allocation by itself. Two words that change places are no order
    /// yet: they may be two counts.
    pub fn is_rearranged(&self, other: &Memory, among: Option<Range<u64>>) -> bool {
        const WORD: usize = 4;
        let is_compared = |address: u64| among.as_ref().is_none_or(|among| among.contains(&address));
        let both = (1u64..).zip(self.allocations.iter().zip(&other.allocations));
        let mut changed = both.filter(|(number, (mine, theirs))| {
            mine.live && theirs.live && is_compared(number << OFFSET_BITS) && mine.bytes != theirs.bytes
        });
        changed.all(|(_, (mine, theirs))| {
            let words = mine.bytes.chunks(WORD).zip(theirs.bytes.chunks(WORD));
            let (mut mine, mut theirs): (Vec<_>, Vec<_>) = words.filter(|(one, other)| one != other).unzip();
            mine.sort_unstable();
            theirs.sort_unstable();
            mine == theirs && mine.len() > 2
        })
    }

    /// A hash of all that it holds.
    pub fn hash(&self) -> u64 {
        let live = self.allocations.iter().filter(|allocation| allocation.live);
        FxBuildHasher.hash_one(live.map(|allocation| &allocation.bytes).collect::<Vec<_>>())
    }
}
