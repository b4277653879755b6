// 6.2 The minimum, in two passes
//
// Two passes work for every associative operation if two things are changed together: the operation and its
// identity, the value that changes nothing and stands in for missing elements. Find the smallest number. For
// an empty array the answer is `INT_MAX`.
//
//@ learn to change an operation and its identity together
//@ minutes 15
//@ launch minTile<<<n/block, block>>> @input @partials u32:n
//@ launch minPartials<<<1, block>>> @partials @out u32:blocks
//@ result out
//@ op min
//@ hint Where does the code add, and where does it use the identity of addition?
//@ hint Give both a name: a function `combine(a, b)` and a constant. Then there is one place to change.
//@ hint 0 is not the identity of the minimum: all numbers might be positive, or there might be none.
//@ think wrong-result: Which lines still add, and which value stands in for a missing number?
//@ why A thread that finds no number contributes the identity. Why is it always safe to combine it once more?
//@ because min(x, INT_MAX) is x for every int x, as x + 0 is x: that is what makes it the identity. So
//@      threads without a number need no branch of their own, and all of them can take part in every barrier.
//@ mutant identity-of-the-sum: wrong-result
//@ - const int identity = INT_MAX;
//@ + const int identity = 0;
//@ mutant the-largest: wrong-result
//@ - return min(a, b);
//@ + return max(a, b);
//@ mutant no-barrier: data-race
//@ - __syncthreads(); // every thread has its minimum
//@ + // nothing
//@ mutant off-by-one: out-of-bounds
//@ - i < size ? g_idata[i] : identity
//@ + i <= size ? g_idata[i] : identity
//@ mutant filled-up-with-0: wrong-result
//@ - i < size ? g_idata[i] : identity
//@ + i < size ? g_idata[i] : 0
//@ mutant thread-0-alone: one-thread
//@ - unsigned int i = threadIdx.x; i < count; i += blockDim.x
//@ + unsigned int i = 0; threadIdx.x == 0 && i < count; i++
//@ mutant every-number-an-atomic: atomics
//@ = #include <limits.h>
//@ =
//@ = extern "C" __global__ void minTile(const int *g_idata, int *partials, unsigned int size)
//@ = {
//@ =     __shared__ int smallest;
//@ =     unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
//@ =     if (threadIdx.x == 0) {
//@ =         smallest = INT_MAX;
//@ =     }
//@ =     __syncthreads();
//@ =     if (i < size) {
//@ =         atomicMin(&smallest, g_idata[i]);
//@ =     }
//@ =     __syncthreads();
//@ =     if (threadIdx.x == 0) {
//@ =         partials[blockIdx.x] = smallest;
//@ =     }
//@ = }
//@ =
//@ = extern "C" __global__ void minPartials(const int *partials, int *g_odata, unsigned int count)
//@ = {
//@ =     if (threadIdx.x == 0) {
//@ =         *g_odata = INT_MAX;
//@ =     }
//@ =     __syncthreads();
//@ =     for (unsigned int i = threadIdx.x; i < count; i += blockDim.x) {
//@ =         atomicMin(g_odata, partials[i]);
//@ =     }
//@ = }
//@ mutant unsigned: wrong-result
//@ - return min(a, b);
//@ + return (int)min((unsigned)a, (unsigned)b);

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
