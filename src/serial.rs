//! The recursion that every sum is checked against.

/// Sum of `data`, wrapping in 32 bits, by the recursion of chapter 1, corrected for any length: the second half
/// is added onto the first, an odd element in the middle waits for the next step. `data` is used up.
/// O(n) additions, O(log n) depth.
// ANCHOR: recursiveReduceAnyLength
pub fn recursive_reduce(data: &mut [i32]) -> i32 {
    match data {
        [] => 0,
        [last] => *last,
        _ => {
            let half = data.len().div_ceil(2);
            let (first, second) = data.split_at_mut(half);
            for (a, b) in first.iter_mut().zip(second) {
                *a = a.wrapping_add(*b);
            }
            recursive_reduce(first)
        }
    }
}
// ANCHOR_END: recursiveReduceAnyLength
