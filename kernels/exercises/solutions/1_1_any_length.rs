// 1.1 Any length
//
// The function sums an array by halving it: the sum of the left half plus the sum of the right half. It is
// right for 1, 2, 4, 8 … numbers. For every other length it loses some of them, and for an empty array it
// never returns. Make it right for every length, and keep the recursion. The function only reads the array,
// and sums wrap around at 32 bits.
//
//@ learn how to halve any length without losing an element
//@ minutes 5
//@ call recursive_sum
//@ hint Take three numbers and a pencil. Which elements are in the left half, which in the right, and which
//@      in none?
//@ hint The two halves need not be equally long. If the left one has the elements 0 .. half, the right one
//@      has the rest.
//@ hint Which length does halving not shorten? It needs a case of its own, like 1.
//@ why Splitting off one element at a time, `data[..1]` and `data[1..]`, loses nothing either. Why does it
//@      fail for long arrays?
//@ because Halving takes 17 nested calls for 100,003 numbers. Splitting off one at a time takes 100,003: each
//@      call waits for the next one, with a frame on the stack, and the stack is full long before the end.
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
//@ mutant the-middle-twice: wrong-result
//@ - recursive_sum(&data[..half])
//@ + recursive_sum(&data[..data.len().div_ceil(2)])
//@ mutant an-iterator: no-recursion
//@ = pub fn recursive_sum(data: &[i32]) -> i32 {
//@ =     data.iter().fold(0, |sum, number| sum.wrapping_add(*number))
//@ = }
//@ mutant a-loop: no-recursion
//@ = pub fn recursive_sum(data: &[i32]) -> i32 {
//@ =     let mut sum = 0i32;
//@ =     for number in data {
//@ =         sum = sum.wrapping_add(*number); // not recursive_sum(data)
//@ =     }
//@ =     sum
//@ = }
//@ mutant a-branch-never-taken: no-recursion
//@ = pub fn recursive_sum(data: &[i32]) -> i32 {
//@ =     if data.len() == usize::MAX {
//@ =         return recursive_sum(&data[1..]);
//@ =     }
//@ =     data.iter().fold(0, |sum, number| sum.wrapping_add(*number))
//@ = }
//@ mutant a-name-in-a-string: no-recursion
//@ = pub fn recursive_sum(data: &[i32]) -> i32 {
//@ =     let _ = "recursive_sum(data)";
//@ =     data.iter().fold(0, |sum, number| sum.wrapping_add(*number))
//@ = }
//@ mutant writes-results-itself: not-allowed
//@ = pub fn recursive_sum(data: &[i32]) -> i32 {
//@ =     let results = std::env::args().nth(2).unwrap();
//@ =     let sum = data.iter().fold(0i32, |sum, number| sum.wrapping_add(*number));
//@ =     std::fs::write(results, format!("ok {sum} 0 17 17\n")).unwrap();
//@ =     std::process::exit(0)
//@ = }
//@ mutant another-file: not-allowed
//@ = include!("solutions/1_1_any_length.rs");
//@ mutant unsafe: compile-error
//@ = pub fn recursive_sum(data: &[i32]) -> i32 {
//@ =     (0..data.len()).fold(0, |sum, i| sum.wrapping_add(unsafe { *data.get_unchecked(i) }))
//@ = }
//@ mutant rounds-the-left-half-up: passes
//@ - data.len() / 2
//@ + data.len().div_ceil(2)
//@ mutant prints: passes
//@ - let half =
//@ + println!("{} numbers", data.len()); let half =
//@ mutant by-a-helper: passes
//@ = pub fn recursive_sum(data: &[i32]) -> i32 {
//@ =     sum_of(data, 0, data.len())
//@ = }
//@ =
//@ = fn sum_of(data: &[i32], from: usize, to: usize) -> i32 {
//@ =     if to - from <= 1 {
//@ =         return data[from..to].first().copied().unwrap_or(0);
//@ =     }
//@ =     let middle = (from + to) / 2;
//@ =     sum_of(data, from, middle).wrapping_add(sum_of(data, middle, to))
//@ = }

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
