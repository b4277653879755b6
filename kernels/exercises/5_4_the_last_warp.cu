// Exercise 5.4: The last warp
//
// When 32 sums are left, one warp does all the work, and all others wait at five more barriers for nothing.
// Stop the tree at 32 and let the first warp finish with `__shfl_down_sync`: a lane reads another lane's
// register, without memory and without a barrier. Blocks here have 64 threads or more, a power of two.
//
// The host launches `reduceWarp(input, partials, n)` with a thread for each of the `n` numbers.
// Each block leaves its result in `partials`, and the host adds them up.
// Goal: at most 32 barriers at n = 256, 256 threads per block.
//
// You learn how the lanes of a warp exchange registers, without memory and without barriers. About 20
// minutes.
//
// Check it:  cargo run --example exercise -- 5.4
// A hint:    cargo run --example exercise -- hint 5.4

extern "C" __global__ void reduceWarp(const int *g_idata, int *g_odata, unsigned int size)
{
    __shared__ int tile[1024];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + tid;
    tile[tid] = i < size ? g_idata[i] : 0;
    __syncthreads(); // the tile is there
    for (unsigned int length = blockDim.x; length > 1; length /= 2) {
        if (tid < length / 2) {
            tile[tid] += tile[tid + length / 2];
        }
        __syncthreads();
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = tile[0];
    }
}
