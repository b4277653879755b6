//! The numbers that every chapter adds up.

use std::ops::Range;

/// Output `i` of SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA
/// 2014) started at `seed`.
pub fn bits(seed: u64, i: u64) -> u64 {
    mix(seed.wrapping_add(i.wrapping_mul(GOLDEN_GAMMA)))
}

/// `n` numbers over the whole range of `i32`, so that a missing, doubled or misplaced element shows in the
/// sum; sums wrap in 32 bits. Element `i` is the upper half of [`bits`] `i`, whatever `n` is.
pub fn numbers(n: usize, seed: u64) -> Vec<i32> {
    numbers_in(0..n as u64, seed).collect()
}

/// Those of [`numbers`] at `indices`, of however many.
pub fn numbers_in(indices: Range<u64>, seed: u64) -> impl Iterator<Item = i32> {
    indices.map(move |i| (bits(seed, i + 1) >> 32) as i32)
}

/// What its state grows by from one number to the next.
pub const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64's number of a state; also good as a hash of one word.
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_do_not_depend_on_how_many_there_are() {
        assert_eq!(numbers(8, 1), numbers(1000, 1)[..8]);
        assert!(numbers_in(500..508, 1).eq(numbers(1000, 1)[500..508].iter().copied()));
        assert_ne!(numbers(8, 1), numbers(8, 2));
        assert!(numbers(0, 1).is_empty());
        // First output of SplitMix64 seeded with 0, from its reference implementation.
        assert_eq!(numbers(1, 0)[0] as u32, 0xe220_a839);
    }
}
