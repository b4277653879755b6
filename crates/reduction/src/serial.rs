//! The recursions that every result is checked against.

use crate::operator::Operator;

/// Sum of `data`, wrapping in 32 bits, by the recursion of chapter 1, corrected for any length: the second
/// half is added onto the first, an odd element in the middle waits for the next step. `data` is used up.
/// O(n) additions, O(log n) depth.
// ANCHOR: recursiveReduceAnyLength
pub fn recursive_reduce(data: &mut [i32]) -> i32 {
    let size = data.len();
    if size <= 1 {
        return data.first().copied().unwrap_or(0);
    }
    let half = size.div_ceil(2);
    for i in 0..size - half {
        data[i] = data[i].wrapping_add(data[i + half]);
    }
    recursive_reduce(&mut data[..half])
}
// ANCHOR_END: recursiveReduceAnyLength

/// `data` reduced by `O`, by a recursion that keeps the operands in their order: neighbours are combined, and
/// what is left is half as long. A last element without a neighbour waits for the next step. `data` is used
/// up. O(n) operations, O(log n) depth; the identity for no elements.
pub fn recursive_reduce_by<O: Operator>(data: &mut [O::Element]) -> O::Element {
    match data {
        [] => O::IDENTITY,
        [last] => *last,
        _ => {
            let half = data.len().div_ceil(2);
            for i in 0..half {
                data[i] = match data[2 * i..] {
                    [first, second, ..] => O::combine(first, second),
                    _ => data[2 * i],
                };
            }
            recursive_reduce_by::<O>(&mut data[..half])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data;
    use crate::operator::SumI32;

    #[test]
    fn both_recursions_are_the_sum_at_any_length() {
        for n in (0..=70).chain([1000, 1025, 4097]) {
            let numbers = data::numbers(n, 1);
            let sum = numbers.iter().fold(0, |sum: i32, x| sum.wrapping_add(*x));
            assert_eq!(recursive_reduce(&mut numbers.clone()), sum, "{n}");
            assert_eq!(recursive_reduce_by::<SumI32>(&mut numbers.clone()), sum, "{n}");
        }
    }
}
