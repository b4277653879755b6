// Exercise 3.1: The last block
//
// Every block adds up a chunk of `blockDim.x` numbers. The last block may own fewer, and the kernel ignores
// that. Make it right for any array length and any block size, without a `return` before a barrier.
//
// The host launches `reduceNeighbored(data, partials, n)` with a thread for each of the `n` numbers.
// Each block leaves its result in `partials`, and the host adds them up.
//
// You learn how a block handles a chunk that is shorter than the block, with every thread at every
// barrier. About 10 minutes.
//
// Check it:  cargo run --example exercise -- 3.1
// A hint:    cargo run --example exercise -- hint 3.1

extern "C" __global__ void reduceNeighbored(int *g_idata, int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    int *idata = g_idata + blockIdx.x * blockDim.x;
    for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
        if (tid % (2 * stride) == 0 && tid + stride < blockDim.x) {
            idata[tid] += idata[tid + stride];
        }
        __syncthreads();
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = idata[0];
    }
}
