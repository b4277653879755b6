// Exercise 6.3: One launch
//
// The second launch only waits for the last block of the first. Let that block do its work: every block
// leaves its partial sum, then takes a ticket from a counter in global memory. The last block to arrive knows
// that all others have left theirs, and adds them up. Here block 0 adds them up, without waiting for any
// other.
//
// The host launches `reduceOnce(input, partials, out, ticket, n)` with as many blocks as give each of the
// `n` numbers a thread.
// `ticket` is 0 at the start.
//
// You learn how the last block to arrive finishes the work in the same launch. About 25 minutes.
//
// Check it:  cargo run --example exercise -- 6.3
// A hint:    cargo run --example exercise -- hint 6.3

// The sum of `mine` over all threads of the block.
static __device__ unsigned int blockSum(unsigned int mine)
{
    __shared__ unsigned int tile[1024];
    unsigned int tid = threadIdx.x;
    __syncthreads(); // the tile may still be in use
    tile[tid] = mine;
    __syncthreads();
    for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            tile[tid] += tile[tid + half];
        }
        __syncthreads();
    }
    return tile[0];
}

extern "C" __global__ void reduceOnce(const unsigned int *g_idata, unsigned int *partials,
                                      unsigned int *g_odata, unsigned int *ticket,
                                      unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + tid;
    unsigned int sum = blockSum(i < size ? g_idata[i] : 0);
    if (tid == 0) {
        partials[blockIdx.x] = sum;
    }
    __syncthreads();
    if (blockIdx.x == 0) {
        unsigned int all = 0;
        for (unsigned int k = tid; k < gridDim.x; k += blockDim.x) {
            all += partials[k];
        }
        all = blockSum(all);
        if (tid == 0) {
            *g_odata = all;
        }
    }
}
