// Chapter 2's kernel with its barrier on the wrong side of a brace: what the page's figure shows.
extern "C" __global__ void reduceNeighbored(unsigned int *g_data, unsigned int *g_odata,
                                            unsigned int size)
{
    unsigned int tid = threadIdx.x;
    for (unsigned int stride = 1; stride < size; stride *= 2) {
        if (tid % (2 * stride) == 0 && tid + stride < size) {
            g_data[tid] += g_data[tid + stride];
            __syncthreads();
        }
    }
    if (tid == 0) {
        *g_odata = size > 0 ? g_data[0] : 0;
    }
}
