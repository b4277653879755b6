#include <limits.h>

extern "C" __global__ void maxOfBlocks(int *g_idata, int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    int *idata = g_idata + first;
    //@ begin
    unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    for (unsigned int stride = 512; stride > 0; stride /= 2) {
        if (tid < stride && tid + stride < count) {
            idata[tid] = max(idata[tid], idata[tid + stride]);
        }
        __syncthreads();
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = count > 0 ? idata[0] : INT_MIN;
    }
    //@ stub
    //| for (unsigned int stride = 512; stride > 0; stride /= 2) {
    //|     if (tid < stride && tid + stride < blockDim.x) {
    //|         idata[tid] = max(idata[tid], idata[tid + stride]);
    //|     }
    //|     __syncthreads();
    //| }
    //| if (tid == 0) {
    //|     g_odata[blockIdx.x] = idata[0];
    //| }
    //@ end
}
