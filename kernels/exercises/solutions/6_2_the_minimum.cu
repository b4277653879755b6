#include <limits.h>

//@ begin
static __device__ int combine(int a, int b)
{
    return min(a, b);
}

const int identity = INT_MAX;
//@ stub
//| static __device__ int combine(int a, int b)
//| {
//|     return a + b;
//| }
//|
//| const int identity = 0;
//@ end

// `mine` of all threads of the block, combined.
static __device__ int blockReduce(int mine)
{
    __shared__ int tile[1024];
    unsigned int tid = threadIdx.x;
    tile[tid] = mine;
    __syncthreads(); // every thread has its minimum
    for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            //@ begin
            tile[tid] = combine(tile[tid], tile[tid + half]);
            //@ stub
            //| tile[tid] += tile[tid + half];
            //@ end
        }
        __syncthreads();
    }
    return tile[0];
}

extern "C" __global__ void minTile(const int *g_idata, int *partials, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    int result = blockReduce(i < size ? g_idata[i] : identity);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = result;
    }
}

extern "C" __global__ void minPartials(const int *partials, int *g_odata, unsigned int count)
{
    int result = identity;
    for (unsigned int i = threadIdx.x; i < count; i += blockDim.x) {
        result = combine(result, partials[i]);
    }
    result = blockReduce(result);
    if (threadIdx.x == 0) {
        *g_odata = result;
    }
}
