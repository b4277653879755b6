// Exercise 7.4: Find the missing fence
//
// One launch, finished by the block that takes the last ticket. The sum is usually right, but one
// `__threadfence()` is missing: another block may see a ticket before the partial sum that belongs to it.
// After which line of this file does the fence belong? Write its number below, and change nothing else.
//
// You learn why the writer and the reader of a flag each need a fence. About 10 minutes.
//
// Check it:  cargo run --example exercise -- 7.4
// A hint:    cargo run --example exercise -- hint 7.4

// The answer: line ?;

// Blocks of one warp; each takes 32 numbers.
extern "C" __global__ void reduceOnce(const unsigned int *g_idata, unsigned int *partials,
                                      unsigned int *g_odata, unsigned int *ticket)
{
    bool last = false;
    unsigned int sum = g_idata[blockIdx.x * 32 + threadIdx.x];
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    }
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum;
        last = atomicAdd(ticket, 1) == gridDim.x - 1;
        __threadfence();
    }
    if (last) {
        unsigned int all = 0;
        for (unsigned int k = 0; k < gridDim.x; k++) {
            all += partials[k];
        }
        *g_odata = all;
    }
}
