// Exercise 7.3: No barrier at all
//
// A warp needs no shared memory and no barrier to add up its 32 sums: its lanes read each other's registers
// with `__shfl_down_sync` or `__shfl_xor_sync`. Then one lane of each warp makes an atomic addition. Rewrite
// the end of the kernel that way. Blocks consist of whole warps here.
//
// The host launches `reduceWarps(input, total, n)` with 4 blocks.
// `total` is 0 at the start, and holds the result at the end.
// Goal: no barrier arrivals at n = 4,096, 256 threads per block.
// Goal: at most 32 atomic operations at n = 4,096, 256 threads per block.
//
// You learn to sum within a warp, without shared memory and without barriers. About 15 minutes.
//
// Check it:  cargo run --example exercise -- 7.3
// A hint:    cargo run --example exercise -- hint 7.3

extern "C" __global__ void reduceWarps(const unsigned int *g_idata, unsigned int *total, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int mine = 0;
    for (unsigned int k = i; k < size; k += gridDim.x * blockDim.x) {
        mine += g_idata[k];
    }
    __shared__ unsigned int tile[1024];
    tile[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (threadIdx.x + half < length) {
            tile[threadIdx.x] += tile[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        atomicAdd(total, tile[0]);
    }
}
