// 3.3 One load fewer
//
// In every step a thread loads two numbers and stores their sum. One of the two is its own, which it has just
// stored itself. Let it keep that number in a register and load only its partner's; other threads must still
// find every sum in memory. For the goal of 28 load requests, threads that never add must not load anything
// either, and thread 0 must write the result from its register.
//
//@ learn how a register saves the load of what the thread itself has just stored
//@ minutes 15
//@ launch reduceInterleaved<<<n/block, block>>> @data @partials u32:n
//@ goal global_load_requests <= 28 n=512 block=512
//@ hint `unsigned int sum` before the loop: what does it hold for thread t, and what if t has no element?
//@ hint In the loop: `sum += …` with one load, then store `sum`, so that other threads see it.
//@ hint More loads than the goal? A thread that never adds needs no number of its own: which threads add in
//@      the first step?
//@ hint At the end thread 0 has the result in its register. It needs no load, not even in an empty block.
//@ why The register saves a load in every step. Why must the thread still store its sum?
//@ because In a later step it has no partner but is one: another thread loads its sum. A register belongs to
//@      one thread alone. Only memory, or a shuffle as in chapter 5, shows its contents to others.
//@ mutant loads-both: goal
//@ - sum += idata[tid + half];
//@ + sum = ((volatile unsigned int *)idata)[tid] + idata[tid + half];
//@ mutant all-threads-load: goal
//@ - tid < (count + 1) / 2 ? idata[tid] : 0
//@ + tid < count ? idata[tid] : 0
//@ mutant does-not-store: wrong-result
//@ - idata[tid] = sum;
//@ + // nothing
//@ mutant no-barrier: data-race
//@ - __syncthreads();
//@ + // nothing
//@ mutant loads-beyond-the-end: out-of-bounds
//@ - tid < (count + 1) / 2 ? idata[tid] : 0
//@ + idata[tid]
//@ mutant thread-0-alone: one-thread
//@ = extern "C" __global__ void reduceInterleaved(unsigned int *g_idata, unsigned int *g_odata,
//@ =                                              unsigned int size)
//@ = {
//@ =     if (threadIdx.x == 0) {
//@ =         unsigned int first = blockIdx.x * blockDim.x;
//@ =         unsigned int sum = 0;
//@ =         for (unsigned int i = first; i < size && i < first + blockDim.x; i++) {
//@ =             sum += g_idata[i];
//@ =         }
//@ =         g_odata[blockIdx.x] = sum;
//@ =     }
//@ = }
//@ mutant every-number-an-atomic: atomics
//@ = extern "C" __global__ void reduceInterleaved(unsigned int *g_idata, unsigned int *g_odata,
//@ =                                              unsigned int size)
//@ = {
//@ =     __shared__ unsigned int sum;
//@ =     unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
//@ =     if (threadIdx.x == 0) {
//@ =         sum = 0;
//@ =     }
//@ =     __syncthreads();
//@ =     if (i < size) {
//@ =         atomicAdd(&sum, g_idata[i]);
//@ =     }
//@ =     __syncthreads();
//@ =     if (threadIdx.x == 0) {
//@ =         g_odata[blockIdx.x] = sum;
//@ =     }
//@ = }

extern "C" __global__ void reduceInterleaved(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    unsigned int *idata = g_idata + first;
    //@ begin
    unsigned int sum = tid < (count + 1) / 2 ? idata[tid] : 0;
    for (unsigned int length = count; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            sum += idata[tid + half];
            idata[tid] = sum;
        }
        __syncthreads();
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = sum;
    }
    //@ stub
    //| for (unsigned int length = count; length > 1; length = (length + 1) / 2) {
    //|     unsigned int half = (length + 1) / 2;
    //|     if (tid + half < length) {
    //|         idata[tid] += idata[tid + half];
    //|     }
    //|     __syncthreads();
    //| }
    //| if (tid == 0) {
    //|     g_odata[blockIdx.x] = count > 0 ? idata[0] : 0;
    //| }
    //@ end
}
