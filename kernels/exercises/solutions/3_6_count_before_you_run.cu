//@ begin
// The answer: barrier arrivals 64;
// The answer: divergent branches 48;
// The answer: load requests 95;
//@ stub
//| // The answer: barrier arrivals ?;
//| // The answer: divergent branches ?;
//| // The answer: load requests ?;
//@ end

extern "C" __global__ void sumToTheRight(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    for (unsigned int stride = 1; stride < size; stride *= 2) {
        if ((tid + 1) % (2 * stride) == 0) {
            g_data[tid] += g_data[tid - stride];
        }
        __syncthreads();
    }
    if (tid == size - 1) {
        *g_odata = g_data[tid];
    }
}
