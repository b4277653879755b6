// Exercise 0.2: More threads than numbers
//
// The same again, but now there are `n` numbers and a block may have more threads than that: 32 threads for
// 5 numbers, say. Threads 5 to 31 have no number, and should do nothing. As it stands they read and write
// beyond the ends of the arrays. Stop them.
//
// The host launches `twice(input, results, n)` with one block.
// `results` has room for as many numbers; what is in it at the start is undefined.
//
// You learn why nearly every kernel begins with a guard. About 2 minutes.
//
// Check it:  cargo run --example exercise -- 0.2
// A hint:    cargo run --example exercise -- hint 0.2

extern "C" __global__ void twice(const int *input, int *results, int n)
{
    int i = threadIdx.x;
    results[i] = 2 * input[i];
}
