// Exercise 1.1: Any length
//
// The function sums an array by halving it: the sum of the left half plus the sum of the right half. It is
// right for 1, 2, 4, 8 … numbers. For every other length it loses some of them, and for an empty array it
// never returns. Make it right for every length, and keep the recursion: the checker looks only at the sums.
// The function only reads the array, and sums wrap around at 32 bits.
//
// You learn how to halve any length without losing an element. About 5 minutes.
//
// Check it:  cargo run --example exercise -- 1.1
// A hint:    cargo run --example exercise -- hint 1.1

pub fn recursive_sum(data: &[i32]) -> i32 {
    match data {
        [last] => *last,
        _ => {
            let half = data.len() / 2;
            recursive_sum(&data[..half]).wrapping_add(recursive_sum(&data[half..2 * half]))
        }
    }
}
