// Exercise 3.3: One load fewer
//
// In every step a thread loads two numbers and stores their sum. One of the two is its own, which it has just
// stored itself. Let it keep that number in a register and load only its partner's; other threads must still
// find every sum in memory. For the goal of 28 load requests, threads that never add must not load anything
// either, and thread 0 must write the result from its register.
//
// The host launches `reduceInterleaved(data, partials, n)` with as many blocks as give each of the `n`
// numbers a thread.
// Each block leaves its result in `partials`, and the host adds them up.
// Goal: at most 28 global load requests (one per warp) at n = 512, 512 threads per block.
//
// You learn how a register saves the load of what the thread itself has just stored. About 15 minutes.
//
// Check it:  cargo run --example exercise -- 3.3
// A hint:    cargo run --example exercise -- hint 3.3

extern "C" __global__ void reduceInterleaved(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    unsigned int *idata = g_idata + first;
    for (unsigned int length = count; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            idata[tid] += idata[tid + half];
        }
        __syncthreads();
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = count > 0 ? idata[0] : 0;
    }
}
