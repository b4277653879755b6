// Exercise 7.1: A fixed grid
//
// A grid that grows with the array has many short-lived threads. Here there are 16 blocks, however long the
// array is. Each thread adds up many numbers in a register before the block's tree begins: its own, the one
// that lies a whole grid further on, and so on.
//
// The host launches `reduceStride(input, total, n)` with 16 blocks.
// `total` is 0 at the start, and holds the result at the end.
// Goal: at most 16,000 global load sectors at n = 100,003, 256 threads per block.
//
// You learn to write a grid-stride loop. About 10 minutes.
//
// Check it:  cargo run --example exercise -- 7.1
// A hint:    cargo run --example exercise -- hint 7.1

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

extern "C" __global__ void reduceStride(const unsigned int *g_idata, unsigned int *total, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int mine = 0;
    if (i < size) {
        mine = g_idata[i];
    }
    unsigned int sum = blockSum(mine);
    if (threadIdx.x == 0) {
        atomicAdd(total, sum);
    }
}
