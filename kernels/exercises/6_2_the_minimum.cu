// Exercise 6.2: The minimum, in two passes
//
// Two passes like these work for every associative and commutative operation if two things are changed
// together: the operation and its identity, the value that changes nothing and stands in for missing
// elements. Find the smallest number. For an empty array the answer is `INT_MAX`.
//
// The host launches `minTile(input, partials, n)` with as many blocks as give each of the `n` numbers a
// thread.
// The host launches `minPartials(partials, out, blocks)` with one block.
//
// You learn to change an operation and its identity together. About 15 minutes.
//
// Check it:  cargo run --example exercise -- 6.2
// A hint:    cargo run --example exercise -- hint 6.2

#include <limits.h>

static __device__ int combine(int a, int b)
{
    return a + b;
}

const int identity = 0;

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
            tile[tid] += tile[tid + half];
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
