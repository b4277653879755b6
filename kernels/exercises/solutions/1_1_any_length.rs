// 1.1 Any length
//
// The function sums an array by halving it: the sum of the left half plus the sum of the right half. It is
// right for 1, 2, 4, 8 … numbers. For every other length it loses some of them, and for an empty array it
// never returns. Make it right for every length, and keep the recursion: the checker looks at the sums alone.
// The function only reads the array, and sums wrap around at 32 bits.
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
//@ mutant writes-results-itself: crash
//@ = pub fn recursive_sum(data: &[i32]) -> i32 {
//@ =     let results = std::env::args().nth(1).unwrap();
//@ =     let sum = data.iter().fold(0i32, |sum, number| sum.wrapping_add(*number));
//@ =     std::fs::write(results, format!("ok {sum} 0\n")).unwrap();
//@ =     std::process::exit(0)
//@ = }
//@ mutant a-result-that-prints-itself: missing-function
//@ = pub struct Sum;
//@ =
//@ = impl std::fmt::Display for Sum {
//@ =     fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
//@ =         f.write_str("5000050000")
//@ =     }
//@ = }
//@ =
//@ = pub fn recursive_sum(_: &[i32]) -> Sum {
//@ =     Sum
//@ = }
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
