// Exercise 0.7: Fewer threads than numbers
//
// Now the host starts two blocks, however many numbers there are. So a thread has to double more than one:
// its first number, then the one that is as many further on as there are threads in all blocks together, and
// so on to the end of the array. Make a loop of the `if`. There are `gridDim.x` blocks, each of `blockDim.x`
// threads.
//
// The host launches `twice(input, results, n)` with 2 blocks.
// `results` has room for as many numbers; what is in it at the start is undefined.
//
// You learn the loop with which a grid of any size gets through an array of any length. About 4 minutes.
//
// Check it:  cargo run --example exercise -- 0.7
// A hint:    cargo run --example exercise -- hint 0.7

extern "C" __global__ void twice(const int *input, int *results, int n)
{
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    if (first < n) {
        results[first] = 2 * input[first];
    }
}
