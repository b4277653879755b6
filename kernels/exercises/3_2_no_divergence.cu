// Exercise 3.2: No divergence before 32
//
// In each step of this tree a thread adds up to three neighbours to its own number. The working threads are
// `4 * stride` apart, so a warp diverges as long as any of its lanes works. Keep the additions, but give them
// to the threads with the smallest indices: then no warp diverges while 32 or more threads have work.
//
// The host launches `reduceFours(data, partials, n)` with as many blocks as give each of the `n` numbers a
// thread.
// Each block leaves its result in `partials`, and the host adds them up.
// Goal: at most 16 divergent branches at n = 512, 512 threads per block.
//
// You learn to give the work to the threads with the smallest indices, so that whole warps are idle. About
// 15 minutes.
//
// Check it:  cargo run --example exercise -- 3.2
// A hint:    cargo run --example exercise -- hint 3.2

extern "C" __global__ void reduceFours(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    unsigned int *idata = g_idata + first;
    for (unsigned int stride = 1; stride < count; stride *= 4) {
        if (tid % (4 * stride) == 0) {
            for (unsigned int k = tid + stride; k < count && k < tid + 4 * stride; k += stride) {
                idata[tid] += idata[k];
            }
        }
        __syncthreads();
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = count > 0 ? idata[0] : 0;
    }
}
