//@ begin
// The answer: line 24;
//@ stub
//| // The answer: line ?;
//@ end

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
        //@ here __threadfence();
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
