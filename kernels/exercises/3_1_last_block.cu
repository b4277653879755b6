// Exercise 3.1: The last block
//
// Every block finds the largest of its `blockDim.x` numbers: in each step the second half is compared with
// the first, and the first half remains. That is right if the block size is a power of two and the last block
// is full. Make it right for any array length and any block size. A block that owns no number leaves
// `INT_MIN`.
//
// The host launches `maxOfBlocks(data, partials, n)` with a thread for each of the `n` numbers.
// Each block leaves its result in `partials`, and the host takes the largest of them.
//
// You learn how a block handles a chunk that is shorter than the block, and what a barrier asks of its
// threads. About 15 minutes.
//
// Check it:  cargo run --example exercise -- 3.1
// A hint:    cargo run --example exercise -- hint 3.1

#include <limits.h>

extern "C" __global__ void maxOfBlocks(int *g_idata, int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    int *idata = g_idata + first;
    for (unsigned int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride) {
            idata[tid] = max(idata[tid], idata[tid + stride]);
        }
        __syncthreads();
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = idata[0];
    }
}
