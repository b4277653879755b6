// Exercise 3.2: No divergence before 32
//
// In `reduceNeighbored` the working threads are `2 * stride` apart, so every warp diverges in each of the
// first five steps. Keep the additions, but give them to other threads: those with the smallest indices. Then
// no warp diverges while 32 or more threads have work.
//
// The host launches `reduceNeighboredLess(data, partials, n)` with a thread for each of the `n` numbers.
// Each block leaves its result in `partials`, and the host adds them up.
// Goal: at most 6 divergent branches at n = 512, 512 threads per block.
//
// You learn to give the work to the threads with the smallest indices, so that whole warps are idle. About
// 15 minutes.
//
// Check it:  cargo run --example exercise -- 3.2
// A hint:    cargo run --example exercise -- hint 3.2

extern "C" __global__ void reduceNeighboredLess(int *g_idata, int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    int *idata = g_idata + first;
    for (unsigned int stride = 1; stride < count; stride *= 2) {
        if (tid % (2 * stride) == 0 && tid + stride < count) {
            idata[tid] += idata[tid + stride];
        }
        __syncthreads();
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = count > 0 ? idata[0] : 0;
    }
}
