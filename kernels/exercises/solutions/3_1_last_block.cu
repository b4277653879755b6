// 3.1 The last block
//
// Every block finds the largest of its `blockDim.x` numbers: in each step the second half is compared with
// the first, and the first half remains. That is right if the block size is a power of two and the last block
// is full. Make it right for any array length and any block size. A block that owns no number leaves
// `INT_MIN`.
//
//@ learn how a block handles a chunk that is shorter than the block, and what a barrier asks of its threads
//@ minutes 15
//@ launch maxOfBlocks<<<n/block, block>>> @data @partials u32:n
//@ op max
//@ blocks 32 96 100 256 1024
//@ hint How many elements does block b own? Its chunk begins at `blockIdx.x * blockDim.x`, and the array ends
//@      at `size`.
//@ hint Give every thread of the block the same `count`, and let no comparison reach beyond it.
//@ hint A stride need not be half of what is left. Which strides are right for every block size up to 1,024?
//@ hint A barrier does not wait for threads that have returned. All others must reach the same barrier.
//@ why May a thread return as soon as it has nothing more to compare?
//@ because After its next barrier, yes. A barrier does not wait for threads that have returned. But it orders
//@      only the accesses of the threads that reach it: after its last write a thread must reach one more
//@      barrier before another thread may read what it wrote.
//@ mutant no-guard: out-of-bounds
//@ - tid < stride && tid + stride < count
//@ + tid < stride
//@ mutant guard-off-by-one: out-of-bounds
//@ - tid + stride < count
//@ + tid + stride <= count
//@ mutant no-barrier: data-race
//@ - __syncthreads();
//@ + // nothing
//@ mutant strides-of-this-block: wrong-result
//@ - unsigned int stride = 512;
//@ + unsigned int stride = blockDim.x / 2;
//@ mutant empty: wrong-result
//@ - : INT_MIN
//@ + : 0
//@ mutant all-blocks-write-one: data-race
//@ - g_odata[blockIdx.x] =
//@ + g_odata[0] =
//@ mutant another-parameter: missing-kernel
//@ - int *g_odata, unsigned int size)
//@ + int *g_odata, unsigned int size, int more)
//@ mutant thread-0-alone: one-thread
//@ = #include <limits.h>
//@ =
//@ = extern "C" __global__ void maxOfBlocks(int *g_idata, int *g_odata, unsigned int size)
//@ = {
//@ =     unsigned int first = blockIdx.x * blockDim.x;
//@ =     if (threadIdx.x == 0) {
//@ =         int largest = INT_MIN;
//@ =         for (unsigned int i = first; i < size && i < first + blockDim.x; i++) {
//@ =             largest = max(largest, g_idata[i]);
//@ =         }
//@ =         g_odata[blockIdx.x] = largest;
//@ =     }
//@ = }
//@ mutant every-number-an-atomic: atomics
//@ = #include <limits.h>
//@ =
//@ = extern "C" __global__ void maxOfBlocks(int *g_idata, int *g_odata, unsigned int size)
//@ = {
//@ =     __shared__ int largest;
//@ =     unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
//@ =     if (threadIdx.x == 0) {
//@ =         largest = INT_MIN;
//@ =     }
//@ =     __syncthreads();
//@ =     if (i < size) {
//@ =         atomicMax(&largest, g_idata[i]);
//@ =     }
//@ =     __syncthreads();
//@ =     if (threadIdx.x == 0) {
//@ =         g_odata[blockIdx.x] = largest;
//@ =     }
//@ = }
//@ mutant too-much-shared-memory: launch-limit
//@ - unsigned int tid = threadIdx.x;
//@ + unsigned int tid = threadIdx.x; __shared__ volatile int big[20000]; big[tid] = 1;
//@ mutant for-64-threads: launch-limit
//@ - __global__ void maxOfBlocks
//@ + __global__ void __launch_bounds__(64) maxOfBlocks
//@ mutant early-return: passes
//@ - for (unsigned int stride = 512;
//@ + if (tid > 0 && tid >= count) return; for (unsigned int stride = 512;
//@ mutant halves-of-what-is-left: passes
//@ - for (unsigned int stride = 512; stride > 0; stride /= 2) {
//@ + for (unsigned int length = count, stride = (count + 1) / 2; length > 1;
//@ + length = stride, stride = (length + 1) / 2) {

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
    //| for (unsigned int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    //|     if (tid < stride) {
    //|         idata[tid] = max(idata[tid], idata[tid + stride]);
    //|     }
    //|     __syncthreads();
    //| }
    //| if (tid == 0) {
    //|     g_odata[blockIdx.x] = idata[0];
    //| }
    //@ end
}
