// Exercise 3.1: The last block
//
// Every block finds the largest of its `blockDim.x` numbers. In each step thread t compares its number with
// the one that stands `stride` further on, and keeps the larger. That is right for every block size, as long
// as the last block is full. Make it right for any array length. A block that owns no number leaves
// `INT_MIN`.
//
// The host launches `maxOfBlocks(data, partials, n)` with as many blocks as give each of the `n` numbers a
// thread.
// Each block leaves its result in `partials`, and the host takes the largest of them.
//
// You learn how a block handles a chunk that is shorter than the block. About 10 minutes.
//
// Check it:  cargo run --example exercise -- 3.1
// A hint:    cargo run --example exercise -- hint 3.1

#include <limits.h>

extern "C" __global__ void maxOfBlocks(int *g_idata, int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    int *idata = g_idata + first;
    for (unsigned int stride = 512; stride > 0; stride /= 2) {
        if (tid < stride && tid + stride < blockDim.x) {
            idata[tid] = max(idata[tid], idata[tid + stride]);
        }
        __syncthreads();
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = idata[0];
    }
}
