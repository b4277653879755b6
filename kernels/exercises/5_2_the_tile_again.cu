// Exercise 5.2: The tile, again and again
//
// Four blocks sum the whole array: each passes tile after tile through the same shared memory, and its last
// thread adds the sum of each tile to the block's result. The kernel often gives the right sum, but a barrier
// is missing. Find the place where one round of the loop can disturb another, and put the barrier there.
//
// The host launches `reduceTiles(input, partials, n)` with 4 blocks.
// Each block leaves its result in `partials`, and the host adds them up.
//
// You learn why a tile needs a barrier before it is filled again. About 10 minutes.
//
// Check it:  cargo run --example exercise -- 5.2
// A hint:    cargo run --example exercise -- hint 5.2

extern "C" __global__ void reduceTiles(const unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    __shared__ unsigned int tile[1024];
    unsigned int tid = threadIdx.x;
    if (tid == blockDim.x - 1) {
        g_odata[blockIdx.x] = 0;
    }
    for (unsigned int first = blockIdx.x * blockDim.x; first < size; first += gridDim.x * blockDim.x) {
        tile[tid] = first + tid < size ? g_idata[first + tid] : 0;
        __syncthreads(); // the tile is there
        for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
            unsigned int half = (length + 1) / 2;
            if (tid + half < length) {
                tile[tid] += tile[tid + half];
            }
            __syncthreads();
        }
        if (tid == blockDim.x - 1) {
            g_odata[blockIdx.x] += tile[0];
        }
    }
}
