#include <limits.h>

extern "C" __global__ void maxNeighbored(int *g_data, int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    for (unsigned int stride = 1; stride < size; stride *= 2) {
        if (tid % (2 * stride) == 0 && tid + stride < size) {
            //@ begin
            g_data[tid] = max(g_data[tid], g_data[tid + stride]);
            //@ stub
            //| g_data[tid] += g_data[tid + stride];
            //@ end
        }
        __syncthreads();
    }
    if (tid == 0) {
        //@ begin
        *g_odata = size > 0 ? g_data[0] : INT_MIN;
        //@ stub
        //| *g_odata = size > 0 ? g_data[0] : 0;
        //@ end
    }
}
