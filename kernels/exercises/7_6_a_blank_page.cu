// Exercise 7.6: A blank page
//
// Write the fastest sum you can. Nothing is given but the kernel's head, and everything that is right passes,
// however slow. Each check then shows what your kernel costs for 65,536 numbers, beside your best one so far
// and beside chapter 7's ladder. What makes a difference: how many loads and instructions each number takes,
// how often warps wait at barriers, and how many atomic operations meet at one address. On a GPU add
// `--device gpu` to the check: it times your kernel beside a solution. Blocks consist of whole warps.
//
// The host launches `fastestSum(input, total, n)` with as many blocks as give every 8 of the `n` numbers a
// thread.
// `total` is 0 at the start, and holds the result at the end.
//
// You learn how far you get on your own, and which step of the ladder is worth what. About 30 minutes.
//
// Check it:  cargo run --example exercise -- 7.6
// A hint:    cargo run --example exercise -- hint 7.6

extern "C" __global__ void fastestSum(const unsigned int *g_idata, unsigned int *total, unsigned int size)
{
    // A blank page.
}
