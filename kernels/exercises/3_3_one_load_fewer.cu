// Exercise 3.3: One load fewer
//
// In every step a thread loads two numbers and stores their sum. It stored its own number itself, one step
// before: let it keep that number in a register, and load only the partner's. Other threads must still find
// every sum in memory.
//
// The host launches `reduceInterleaved(data, partials, n)` with a thread for each of the `n` numbers.
// Each block leaves its result in `partials`, and the host adds them up.
// Goal: at most 28 global load requests at n = 512, 512 threads per block.
//
// You learn how a register saves the load of what the thread itself has just stored. About 15 minutes.
//
// Check it:  cargo run --example exercise -- 3.3
// A hint:    cargo run --example exercise -- hint 3.3

extern "C" __global__ void reduceInterleaved(int *g_idata, int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    int *idata = g_idata + first;
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
