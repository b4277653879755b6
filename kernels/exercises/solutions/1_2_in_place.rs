// 1.2 In place, with an odd middle
//
// Now the other tree: the second half is added onto the first, in place, and the first half is what remains.
// This is the post's recursion, and it drops the last element of every odd length. Make it right for every
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
//@ mutant drops-the-last: wrong-result
//@ - data.len().div_ceil(2)
//@ + data.len() / 2
//@ mutant beyond-the-end: panic
//@ - 0..data.len() - half
//@ + 0..half
//@ mutant a-copy: goal
//@ - reduce_in_place(&mut data[..half])
//@ + reduce_in_place(&mut data[..half].to_vec())
//@ mutant no-end: stack-overflow
//@ - if data.len() <= 1 {
//@ + if data.is_empty() {

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
