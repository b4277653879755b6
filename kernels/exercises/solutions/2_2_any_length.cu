// 2.2 Any length
//
// One block sums `size` numbers in place, adding the second half onto the first. The kernel is right as long
// as `size` is a power of two. Make it right for every size that the block has threads for, and for an empty
// array.
//
//@ learn how a tree in place handles lengths that are not powers of two
//@ minutes 10
//@ launch reduceHalves<<<1, block>>> @data @out u32:n
//@ result out
//@ one-block
//@ hint Five numbers: half is 2. Which element is left over, and what happens to it?
//@ hint Round the half up. Then the middle element stays and has no partner: which threads may add?
//@ hint What is in element 0 of an empty array?
//@ why With `length = length / 2 + 1` in place of `(length + 1) / 2`, the loop never ends. Which length is to
//@      blame?
//@ because Length 2: `2 / 2 + 1` is 2 again, and 2 > 1. Rounded up, half of 2 is 1. Such a loop ends only if
//@      every length above 1 gets shorter.
//@ mutant rounds-down: wrong-result
//@ - unsigned int half = (length + 1) / 2;
//@ + unsigned int half = length / 2;
//@ mutant no-guard: out-of-bounds
//@ - if (tid + half < length) {
//@ + if (tid < half) {
//@ mutant empty: out-of-bounds
//@ - size > 0 ? g_data[0] : 0
//@ + g_data[0]
//@ mutant no-barrier: data-race
//@ - __syncthreads();
//@ + // nothing
//@ mutant leaves-early: wrong-result
//@ - length > 1
//@ + length > 2
//@ mutant endless: step-limit
//@ - length = (length + 1) / 2) {
//@ + length = length / 2 + 1) {
//@ mutant two-gigabytes-of-variables: memory-limit
//@ - extern "C"
//@ + __device__ unsigned int big[500000000]; extern "C"
//@ - unsigned int tid = threadIdx.x;
//@ + unsigned int tid = threadIdx.x; big[tid] = size;
//@ mutant forty-megabytes-per-thread: memory-limit
//@ - unsigned int tid = threadIdx.x;
//@ + unsigned int tid = threadIdx.x, mine[10000000];
//@ + for (unsigned int k = 0; k < 10; k++) mine[k * size] = k; if (mine[size] == 5) return;
//@ mutant thread-0-alone: one-thread
//@ = extern "C" __global__ void reduceHalves(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
//@ = {
//@ =     if (threadIdx.x == 0) {
//@ =         unsigned int sum = 0;
//@ =         for (unsigned int i = 0; i < size; i++) {
//@ =             sum += g_data[i];
//@ =         }
//@ =         *g_odata = sum;
//@ =     }
//@ = }
//@ mutant a-few-threads-then-one: one-thread
//@ = extern "C" __global__ void reduceHalves(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
//@ = {
//@ =     __shared__ unsigned int sums[32];
//@ =     unsigned int tid = threadIdx.x;
//@ =     if (tid < 32) {
//@ =         unsigned int sum = 0;
//@ =         for (unsigned int i = tid; i < size; i += 32) {
//@ =             sum += g_data[i];
//@ =         }
//@ =         sums[tid] = sum;
//@ =     }
//@ =     __syncthreads();
//@ =     if (tid == 0) {
//@ =         unsigned int sum = 0;
//@ =         for (unsigned int i = 0; i < 32; i++) {
//@ =             sum += sums[i];
//@ =         }
//@ =         *g_odata = sum;
//@ =     }
//@ = }
//@ mutant every-number-an-atomic: atomics
//@ = extern "C" __global__ void reduceHalves(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
//@ = {
//@ =     if (threadIdx.x == 0) {
//@ =         *g_odata = 0;
//@ =     }
//@ =     __syncthreads();
//@ =     if (threadIdx.x < size) {
//@ =         atomicAdd(g_odata, g_data[threadIdx.x]);
//@ =     }
//@ = }
//@ mutant all-threads-alone: one-thread
//@ = extern "C" __global__ void reduceHalves(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
//@ = {
//@ =     unsigned int sum = 0;
//@ =     for (unsigned int i = 0; i < size; i++) {
//@ =         sum += g_data[i];
//@ =     }
//@ =     if (threadIdx.x == 0) {
//@ =         *g_odata = sum;
//@ =     }
//@ = }
//@ mutant from-the-largest-stride: passes
//@ = extern "C" __global__ void reduceHalves(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
//@ = {
//@ =     unsigned int tid = threadIdx.x;
//@ =     for (unsigned int stride = 512; stride > 0; stride /= 2) {
//@ =         if (tid < stride && tid + stride < size) {
//@ =             g_data[tid] += g_data[tid + stride];
//@ =         }
//@ =         __syncthreads();
//@ =     }
//@ =     if (tid == 0) {
//@ =         *g_odata = size > 0 ? g_data[0] : 0;
//@ =     }
//@ = }
//@ mutant neighbours: passes
//@ = extern "C" __global__ void reduceHalves(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
//@ = {
//@ =     unsigned int tid = threadIdx.x;
//@ =     for (unsigned int stride = 1; stride < size; stride *= 2) {
//@ =         if (tid % (2 * stride) == 0 && tid + stride < size) {
//@ =             g_data[tid] += g_data[tid + stride];
//@ =         }
//@ =         __syncthreads();
//@ =     }
//@ =     if (tid == 0) {
//@ =         *g_odata = size > 0 ? g_data[0] : 0;
//@ =     }
//@ = }

extern "C" __global__ void reduceHalves(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    //@ begin
    for (unsigned int length = size; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            g_data[tid] += g_data[tid + half];
        }
        __syncthreads();
    }
    if (tid == 0) {
        *g_odata = size > 0 ? g_data[0] : 0;
    }
    //@ stub
    //| for (unsigned int half = size / 2; half > 0; half /= 2) {
    //|     if (tid < half) {
    //|         g_data[tid] += g_data[tid + half];
    //|     }
    //|     __syncthreads();
    //| }
    //| if (tid == 0) {
    //|     *g_odata = g_data[0];
    //| }
    //@ end
}
