// 1.1 Any length
//
// The function adds up an array by halving it: the sum of the left half plus the sum of the right half. It is
// right for 1, 2, 4, 8 … numbers. For every other length it loses some, and for an empty array it never
// returns. Make it right for every length. The array is only read, and sums wrap in 32 bits.
//
//@ learn how to halve any length without losing an element
//@ minutes 5
//@ call recursive_sum
//@ hint Take three numbers and a pencil. Which elements are in the left half, which in the right, and which
//@      in none?
//@ hint The two halves need not be equally long. If the left one has the elements 0 .. half, the right one
//@      has the rest.
//@ hint Which length does halving not shorten? It needs a case of its own, like 1.
//@ mutant drops-the-odd-one: wrong-result
//@ - recursive_sum(&data[half..])
//@ + recursive_sum(&data[half..2 * half])
//@ mutant no-empty-case: stack-overflow
//@ - [] => 0,
//@ + [] => recursive_sum(data),
//@ mutant one-by-one: stack-overflow
//@ - let half = data.len() / 2;
//@ + let half = 1;
//@ mutant does-not-wrap: panic
//@ - .wrapping_add(recursive_sum(&data[half..]))
//@ + + recursive_sum(&data[half..])

pub fn recursive_sum(data: &[i32]) -> i32 {
    //@ begin
    match data {
        [] => 0,
        [last] => *last,
        _ => {
            let half = data.len() / 2;
            recursive_sum(&data[..half]).wrapping_add(recursive_sum(&data[half..]))
        }
    }
    //@ stub
    //| match data {
    //|     [last] => *last,
    //|     _ => {
    //|         let half = data.len() / 2;
    //|         recursive_sum(&data[..half]).wrapping_add(recursive_sum(&data[half..2 * half]))
    //|     }
    //| }
    //@ end
}
