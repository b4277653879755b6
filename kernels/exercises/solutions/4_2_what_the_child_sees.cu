// 4.2 What the child sees
//
// A fire-and-forget child may start at once, beside its parent. It sees memory as the launching thread sees
// it at that moment. Here the child starts too early: it reads sums that other threads of the parent have yet
// to write. Make sure that the child sees all of them. Keep it a fire-and-forget launch.
//
//@ learn what a child is guaranteed to see of its parent's work
//@ minutes 10
//@ race
//@ launch reduceForget<<<n/block, block>>> @data @partials u32:n
//@ blocks 96 256 1024
//@ most-blocks 100
//@ hint Thread 0 launches. Which additions of the other threads has it seen by then?
//@ hint What makes all threads of a block wait for each other, and lets each see what the others wrote?
//@ hint A barrier orders the accesses of the threads that reach it. It neither waits for threads that have
//@      returned nor covers what they wrote: every thread that adds must reach it.
//@ think child-visibility: What has thread 0 waited for before it launches?
//@ think data-race: What has thread 0 waited for before it launches?
//@ think tail-launch: Which threads must have finished before the child may start? What waits for just those?
//@ think one-thread: Which threads of the parent could make the additions of its level?
//@ why A tail launch would need no barrier. Why?
//@ because It starts when the whole grid has finished, and then sees all that the grid has written. That is
//@      also why it comes later: it waits for all blocks of the parent, while a fire-and-forget child may
//@      start as soon as its own block is ready.
//@ mutant no-barrier: data-race
//@ - __syncthreads();
//@ + // nothing
//@ mutant volatile-without-barrier: data-race
//@ - reduceForget(unsigned int *g_idata
//@ + reduceForget(volatile unsigned int *g_idata
//@ - unsigned int *idata =
//@ + volatile unsigned int *idata =
//@ - __syncthreads();
//@ + // nothing
//@ mutant barrier-behind-the-launch: data-race
//@ - __syncthreads();
//@ + // nothing
//@ - (idata, odata, half);
//@ + (idata, odata, half); } __syncthreads(); {
//@ mutant barrier-in-the-if: left-early
//@ - __syncthreads();
//@ + // nothing
//@ - if (tid == 0) { // one child per block
//@ + if (tid == 0) { __syncthreads();
//@ mutant no-guard: out-of-bounds
//@ - if (tid + half < count) {
//@ + if (tid < half) {
//@ mutant every-thread-launches: data-race
//@ - if (tid == 0) { // one child per block
//@ + if (tid < 2) {
//@ mutant fence-only: data-race
//@ - __syncthreads();
//@ + __threadfence();
//@ mutant a-tail-launch: tail-launch
//@ - cudaStreamFireAndForget
//@ + cudaStreamTailLaunch
//@ mutant a-tail-launch-without-barrier: tail-launch
//@ - __syncthreads();
//@ + // nothing
//@ - cudaStreamFireAndForget
//@ + cudaStreamTailLaunch
//@ mutant thread-0-alone: one-thread
//@ = extern "C" __global__ void reduceForget(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
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
//@ mutant children-that-only-look: launches
//@ = __global__ void look(const volatile unsigned int *g_idata, unsigned int *g_aside, unsigned int count)
//@ = {
//@ =     unsigned int seen = threadIdx.x < count ? g_idata[threadIdx.x] : 0;
//@ =     if (seen == 12345) {
//@ =         *g_aside = seen;
//@ =     }
//@ =     if (threadIdx.x == 0 && count > 1) {
//@ =         look<<<1, (count + 1) / 2, 0, cudaStreamFireAndForget>>>(g_idata, g_aside, (count + 1) / 2);
//@ =     }
//@ = }
//@ =
//@ = __device__ unsigned int aside;
//@ =
//@ = extern "C" __global__ void reduceForget(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
//@ = {
//@ =     __shared__ unsigned int tile[1024];
//@ =     unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
//@ =     unsigned int first = blockIdx.x * blockDim.x;
//@ =     unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
//@ =     tile[tid] = i < size ? g_idata[i] : 0;
//@ =     for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
//@ =         __syncthreads();
//@ =         if (tid + (length + 1) / 2 < length) {
//@ =             tile[tid] += tile[tid + (length + 1) / 2];
//@ =         }
//@ =     }
//@ =     if (tid == 0) {
//@ =         g_odata[blockIdx.x] = tile[0];
//@ =         if (count > 1) {
//@ =             unsigned int half = (count + 1) / 2;
//@ =             look<<<1, half, 0, cudaStreamFireAndForget>>>(g_idata + first, &aside, count / 2);
//@ =         }
//@ =     }
//@ = }
//@ mutant no-child: launches
//@ = extern "C" __global__ void reduceForget(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
//@ = {
//@ =     unsigned int tid = threadIdx.x;
//@ =     unsigned int first = blockIdx.x * blockDim.x;
//@ =     unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
//@ =     unsigned int *idata = g_idata + first;
//@ =     for (unsigned int length = count; length > 1; length = (length + 1) / 2) {
//@ =         unsigned int half = (length + 1) / 2;
//@ =         if (tid + half < length) {
//@ =             idata[tid] += idata[tid + half];
//@ =         }
//@ =         __syncthreads();
//@ =     }
//@ =     if (tid == 0) {
//@ =         g_odata[blockIdx.x] = count > 0 ? idata[0] : 0;
//@ =     }
//@ = }

extern "C" __global__ void reduceForget(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    unsigned int *idata = g_idata + first;
    unsigned int *odata = g_odata + blockIdx.x;
    if (count <= 1) {
        if (tid == 0) {
            *odata = count == 1 ? idata[0] : 0;
        }
        return;
    }
    unsigned int half = (count + 1) / 2;
    if (tid + half < count) {
        idata[tid] += idata[tid + half];
    }
    //@ begin
    __syncthreads();
    //@ stub
    //@ end
    if (tid == 0) { // one child per block
        reduceForget<<<1, half, 0, cudaStreamFireAndForget>>>(idata, odata, half);
    }
}
