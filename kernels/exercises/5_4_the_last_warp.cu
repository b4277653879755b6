// Exercise 5.4: The last warp
//
// When 32 sums are left, one warp does all the work, and all others wait at five more barriers for nothing.
// The lanes of a warp can do without memory and barriers: `__shfl_down_sync(0xffffffff, sum, 16)` gives lane
// t the `sum` of lane t + 16, straight from that lane's register. The first argument says which lanes take
// part: all 32, and all of them must call it. (A lane that would read beyond lane 31 gets back its own
// value.) Stop the tree at 32 and let the first warp finish by shuffles. Blocks here have 64 threads or more,
// a power of two.
//
// The host launches `reduceWarp(input, partials, n)` with as many blocks as give each of the `n` numbers a
// thread.
// Each block leaves its result in `partials`, and the host adds them up.
// Goal: at most 32 barrier arrivals (one per warp) at n = 256, 256 threads per block.
//
// You learn how the lanes of a warp exchange registers, without memory and without barriers. About 20
// minutes.
//
// Check it:  cargo run --example exercise -- 5.4
// A hint:    cargo run --example exercise -- hint 5.4

extern "C" __global__ void reduceWarp(const unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    __shared__ unsigned int tile[1024];
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
