// 1.2 In place, with an odd middle
//
// Now the other tree: it adds the second half onto the first, in place, and goes on with the first half. As
// it is often published, this recursion loses the last element of every odd length. Make it right for every
// length, without a second array: all that the function needs is already in `data`.
//
//@ learn what a tree does with an element that has no partner
//@ minutes 5
//@ call reduce_in_place
//@ goal allocations <= 0
//@ hint Write down what happens to five numbers: half is 2. Which element is never read?
//@ hint If the first half is rounded up, the odd element in the middle belongs to it. It has no partner in
//@      this step, but takes part in the next.
//@ hint With the first half rounded up, the second half is shorter: how many additions are there?
//@ why Why may the loop write into the first half while it still reads from the second?
//@ because It reads the elements from `half` on, and writes those below `data.len() - half`, which is at most
//@      `half`. The two ranges do not overlap. So the additions of one step may happen in any order, which is
//@      what lets a GPU make all of them at once.
//@ mutant drops-the-last: wrong-result
//@ - data.len().div_ceil(2)
//@ + data.len() / 2
//@ mutant beyond-the-end: panic
//@ - 0..data.len() - half
//@ + 0..half
//@ mutant a-copy: goal
//@ - reduce_in_place(&mut data[..half])
//@ + reduce_in_place(&mut data[..half].to_vec())
//@ mutant the-recursion-of-1.1: passes
//@ = pub fn reduce_in_place(data: &mut [i32]) -> i32 {
//@ =     if data.len() <= 1 {
//@ =         return data.first().copied().unwrap_or(0);
//@ =     }
//@ =     let (left, right) = data.split_at_mut(data.len() / 2);
//@ =     reduce_in_place(left).wrapping_add(reduce_in_place(right))
//@ = }
//@ mutant a-second-array-outside: compile-error
//@ = static mut SECOND: [i32; 1 << 17] = [0; 1 << 17];
//@ =
//@ = pub fn reduce_in_place(data: &mut [i32]) -> i32 {
//@ =     unsafe { SECOND[..data.len()].copy_from_slice(data) };
//@ =     data.iter().fold(0, |sum, number| sum.wrapping_add(*number))
//@ = }
//@ mutant no-end: stack-overflow
//@ - if data.len() <= 1 {
//@ + if data.is_empty() {
//@ mutant counts-the-middle-twice: wrong-result
//@ - let half =
//@ + if data.len() % 2 == 1 { data[0] = data[0].wrapping_add(data[data.len() / 2]); } let half =
//@ mutant prints: passes
//@ - let half =
//@ + println!("ok 1 0"); let half =
//@ mutant the-last-onto-the-first: passes
//@ = pub fn reduce_in_place(data: &mut [i32]) -> i32 {
//@ =     if data.len() <= 1 {
//@ =         return data.first().copied().unwrap_or(0);
//@ =     }
//@ =     let half = data.len() / 2;
//@ =     for i in 0..half {
//@ =         data[i] = data[i].wrapping_add(data[i + half]);
//@ =     }
//@ =     if data.len() % 2 == 1 {
//@ =         data[0] = data[0].wrapping_add(data[data.len() - 1]);
//@ =     }
//@ =     reduce_in_place(&mut data[..half])
//@ = }

pub fn reduce_in_place(data: &mut [i32]) -> i32 {
    if data.len() <= 1 {
        return data.first().copied().unwrap_or(0);
    }
    //@ begin
    let half = data.len().div_ceil(2);
    for i in 0..data.len() - half {
        data[i] = data[i].wrapping_add(data[i + half]);
    }
    //@ stub
    //| let half = data.len() / 2;
    //| for i in 0..half {
    //|     data[i] = data[i].wrapping_add(data[i + half]);
    //| }
    //@ end
    reduce_in_place(&mut data[..half])
}
