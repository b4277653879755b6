// Exercise 1.2: In place, with an odd middle
//
// Now the other tree: it adds the second half onto the first, in place, and goes on with the first half. As
// it is often published, this recursion loses the last element of every odd length. Make it right for every
// length, without a second array: all that the function needs is already in `data`. Keep the recursion; the
// checker looks only at sums and allocations.
//
// Goal: no allocations.
//
// You learn what a tree does with an element that has no partner. About 5 minutes.
//
// Check it:  cargo run --example exercise -- 1.2
// A hint:    cargo run --example exercise -- hint 1.2

pub fn reduce_in_place(data: &mut [i32]) -> i32 {
    if data.len() <= 1 {
        return data.first().copied().unwrap_or(0);
    }
    let half = data.len() / 2;
    for i in 0..half {
        data[i] = data[i].wrapping_add(data[i + half]);
    }
    reduce_in_place(&mut data[..half])
}
