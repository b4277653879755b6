// Exercise 5.3: A dot product without bank conflicts
//
// Each thread multiplies a pair of numbers, and the block adds up the products in shared memory. In step
// `stride` the working threads touch words `2 * stride` apart, so several lanes of a warp hit the same one of
// the 32 banks and are served one after another. Build the tree so that neighbouring threads touch
// neighbouring words.
//
// The host launches `dotProduct(input, other, partials, n)` with a thread for each of the `n` numbers.
// Each block leaves its result in `partials`, and the host adds them up.
// Goal: no shared bank conflicts at n = 256, 256 threads per block.
//
// You learn to recognise bank conflicts, and to lay out shared memory without them. About 15 minutes.
//
// Check it:  cargo run --example exercise -- 5.3
// A hint:    cargo run --example exercise -- hint 5.3

extern "C" __global__ void dotProduct(const int *g_a, const int *g_b, int *g_odata, unsigned int size)
{
    __shared__ int tile[1024];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + tid;
    tile[tid] = i < size ? g_a[i] * g_b[i] : 0;
    __syncthreads(); // the products are there
    for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
        unsigned int index = 2 * stride * tid;
        if (index + stride < blockDim.x) {
            tile[index] += tile[index + stride];
        }
        __syncthreads();
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = tile[0];
    }
}
