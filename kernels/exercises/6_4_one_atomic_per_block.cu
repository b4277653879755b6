// Exercise 6.4: One atomic addition per block
//
// `atomicAdd` on one counter makes a second pass unnecessary: no addition is lost, and the order doesn't
// matter. But these additions meet at one address, one for each warp at best. Let each block add up its
// numbers first, and then make one atomic addition.
//
// The host launches `reduceAtomic(input, total, n)` with as many blocks as give each of the `n` numbers a
// thread.
// `total` is 0 at the start, and holds the result at the end.
// Goal: at most 4 atomic operations (on global memory) at n = 1,024, 256 threads per block.
//
// You learn to combine values within a block before they meet at one address. About 10 minutes.
//
// Check it:  cargo run --example exercise -- 6.4
// A hint:    cargo run --example exercise -- hint 6.4

// The sum of `mine` over all threads of the block.
static __device__ unsigned int blockSum(unsigned int mine)
{
    __shared__ unsigned int tile[1024];
    unsigned int tid = threadIdx.x;
    tile[tid] = mine;
    __syncthreads(); // the tile is there
    for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            tile[tid] += tile[tid + half];
        }
        __syncthreads();
    }
    return tile[0];
}

extern "C" __global__ void reduceAtomic(const unsigned int *g_idata, unsigned int *total, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) {
        atomicAdd(total, g_idata[i]);
    }
}
