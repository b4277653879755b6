// Exercise 7.2: Sixteen bytes at a time
//
// A thread may load four numbers with one instruction, as a `uint4`, from an address that is a multiple of
// 16. Fewer requests then move the same bytes. Up to three numbers at the end do not fill a `uint4`: each of
// them must still be added once.
//
// The host launches `reduceVector(input, total, n)` with 4 blocks.
// `total` is 0 at the start, and holds the result at the end.
// Goal: at most 36 global load requests (one per warp) at n = 4,096, 256 threads per block.
//
// You learn how to load 16 bytes at a time, and what to do with the remainder. About 20 minutes.
//
// Check it:  cargo run --example exercise -- 7.2
// A hint:    cargo run --example exercise -- hint 7.2

// The sum of `mine` over all threads of the block.
static __device__ unsigned int blockSum(unsigned int mine)
{
    __shared__ unsigned int tile[1024];
    unsigned int tid = threadIdx.x;
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

extern "C" __global__ void reduceVector(const unsigned int *g_idata, unsigned int *total, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int threads = gridDim.x * blockDim.x;
    unsigned int mine = 0;
    for (unsigned int k = i; k < size; k += threads) {
        mine += g_idata[k];
    }
    unsigned int sum = blockSum(mine);
    if (threadIdx.x == 0) {
        atomicAdd(total, sum);
    }
}
