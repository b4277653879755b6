// Exercise 3.6: Count before you run
//
// One block of 256 threads runs this kernel on 256 numbers. It is `reduceNeighbored` mirrored: each sum is
// kept at the right end of its pair. Before anything runs, predict three of its counters: how often a warp
// arrives at the barrier, how often a branch sends the lanes of one warp two ways, and how often a warp loads
// from global memory (once for each load that any of its lanes makes). Write your numbers below, and change
// nothing else. The check says how far off they are.
//
// The host launches `sumToTheRight(data, out, n)` with one block.
// The numbers are those for n = 256, 256 threads per block.
//
// You learn to read a kernel's cost off its source, warp by warp. About 15 minutes.
//
// Check it:  cargo run --example exercise -- 3.6
// A hint:    cargo run --example exercise -- hint 3.6

// The answer: barrier arrivals ?;
// The answer: divergent branches ?;
// The answer: load requests ?;

extern "C" __global__ void sumToTheRight(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    for (unsigned int stride = 1; stride < size; stride *= 2) {
        if ((tid + 1) % (2 * stride) == 0) {
            g_data[tid] += g_data[tid - stride];
        }
        __syncthreads();
    }
    if (tid == size - 1) {
        *g_odata = g_data[tid];
    }
}
