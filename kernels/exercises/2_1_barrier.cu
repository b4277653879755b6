// Exercise 2.1: One barrier is enough
//
// One block computes a sum of squares in place: every thread squares its own number, and then a tree adds
// neighbours. Nothing makes a thread wait until another has finished. One `__syncthreads()` in the source is
// enough for the squares and all steps of the tree, if it stands in the right place. Put it there.
//
// The host launches `sumOfSquares(data, out, n)` with one block.
// Goal: at most 64 barrier arrivals (one per warp) at n = 256, 256 threads per block.
//
// You learn between which accesses a barrier has to stand. About 10 minutes.
//
// Check it:  cargo run --example exercise -- 2.1
// A hint:    cargo run --example exercise -- hint 2.1

extern "C" __global__ void sumOfSquares(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    if (tid < size) {
        g_data[tid] *= g_data[tid];
    }
    for (unsigned int stride = 1; stride < size; stride *= 2) {
        if (tid % (2 * stride) == 0 && tid + stride < size) {
            g_data[tid] += g_data[tid + stride];
        }
    }
    if (tid == 0) {
        *g_odata = size > 0 ? g_data[0] : 0;
    }
}
