// Exercise 0.3: Several blocks, the last one short
//
// Now there are more numbers than one block has threads, and the host starts several blocks. In each of them
// `threadIdx.x` begins again at 0, so that all blocks double the same few numbers. Let every thread of every
// block find a number of its own. (The last block may have more threads than there are numbers left; the
// guard is there already.)
//
// The host launches `twice(input, results, n)` with as many blocks as give each of the `n` numbers a
// thread.
// `results` has room for as many numbers; what is in it at the start is undefined.
//
// You learn the line that nearly every kernel has: block, block size and thread make an index. About 4
// minutes.
//
// Check it:  cargo run --example exercise -- 0.3
// A hint:    cargo run --example exercise -- hint 0.3

extern "C" __global__ void twice(const int *input, int *results, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        results[i] = 2 * input[i];
    }
}
