// 6.1 All the partial sums
//
// The first launch leaves one partial sum per block, and the second has one block, which adds them up. If
// there are more partial sums than that block has threads, some are lost. Make the second kernel right for
// any number of them.
//
//@ learn how one block combines more values than it has threads
//@ minutes 10
//@ launch reduceTile<<<n/block, block>>> @input @partials u32:n
//@ launch reducePartials<<<1, block>>> @partials @out u32:blocks
//@ result out
//@ hint Suppose there are two more partial sums than threads: which threads could take the two that are left?
//@ hint Let thread t add up the partial sums t, t + blockDim.x, t + 2 * blockDim.x … in a register, before
//@      the tree.
//@ hint The tree then uses all threads. What does a thread without a partial sum contribute?
//@ why The second launch has one block, however long the array. Is it a bottleneck?
//@ because Hardly. For 100,003 numbers in blocks of 256 it adds 391 partial sums, two per thread and then a
//@      tree. The first launch makes 256 times as many additions. What costs time is that there is a second
//@      launch at all.
//@ mutant neighbours: wrong-result
//@ - i += blockDim.x
//@ + i += blockDim.x - 1
//@ mutant off-by-one: out-of-bounds
//@ - i < count; i
//@ + i <= count; i
//@ mutant every-thread-takes-all: wrong-result
//@ - unsigned int i = tid; i <
//@ + unsigned int i = 0; i <
//@ mutant no-barrier: data-race
//@ - __syncthreads(); // every thread has its sum
//@ + // nothing
//@ mutant thread-0-alone: one-thread
//@ - unsigned int i = tid; i < count; i += blockDim.x
//@ + unsigned int i = 0; tid == 0 && i < count; i++
//@ mutant thread-0-without-a-tree: one-thread
//@ = static __device__ unsigned int blockSum(unsigned int mine)
//@ = {
//@ =     __shared__ unsigned int tile[1024];
//@ =     unsigned int tid = threadIdx.x;
//@ =     tile[tid] = mine;
//@ =     __syncthreads();
//@ =     for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
//@ =         unsigned int half = (length + 1) / 2;
//@ =         if (tid + half < length) {
//@ =             tile[tid] += tile[tid + half];
//@ =         }
//@ =         __syncthreads();
//@ =     }
//@ =     return tile[0];
//@ = }
//@ =
//@ = extern "C" __global__ void reduceTile(const unsigned int *g_idata, unsigned int *partials,
//@ =                                       unsigned int size)
//@ = {
//@ =     unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
//@ =     unsigned int sum = blockSum(i < size ? g_idata[i] : 0);
//@ =     if (threadIdx.x == 0) {
//@ =         partials[blockIdx.x] = sum;
//@ =     }
//@ = }
//@ =
//@ = extern "C" __global__ void reducePartials(const unsigned int *partials, unsigned int *g_odata,
//@ =                                           unsigned int count)
//@ = {
//@ =     if (threadIdx.x == 0) {
//@ =         unsigned int sum = 0;
//@ =         for (unsigned int i = 0; i < count; i++) {
//@ =             sum += partials[i];
//@ =         }
//@ =         *g_odata = sum;
//@ =     }
//@ = }
//@ mutant every-partial-an-atomic: atomics
//@ = static __device__ unsigned int blockSum(unsigned int mine)
//@ = {
//@ =     __shared__ unsigned int tile[1024];
//@ =     unsigned int tid = threadIdx.x;
//@ =     tile[tid] = mine;
//@ =     __syncthreads();
//@ =     for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
//@ =         unsigned int half = (length + 1) / 2;
//@ =         if (tid + half < length) {
//@ =             tile[tid] += tile[tid + half];
//@ =         }
//@ =         __syncthreads();
//@ =     }
//@ =     return tile[0];
//@ = }
//@ =
//@ = extern "C" __global__ void reduceTile(const unsigned int *g_idata, unsigned int *partials,
//@ =                                       unsigned int size)
//@ = {
//@ =     unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
//@ =     unsigned int sum = blockSum(i < size ? g_idata[i] : 0);
//@ =     if (threadIdx.x == 0) {
//@ =         partials[blockIdx.x] = sum;
//@ =     }
//@ = }
//@ =
//@ = extern "C" __global__ void reducePartials(const unsigned int *partials, unsigned int *g_odata,
//@ =                                           unsigned int count)
//@ = {
//@ =     if (threadIdx.x == 0) {
//@ =         *g_odata = 0;
//@ =     }
//@ =     __syncthreads();
//@ =     for (unsigned int i = threadIdx.x; i < count || i == threadIdx.x; i += blockDim.x) {
//@ =         atomicAdd(g_odata, i < count ? partials[i] : 0);
//@ =     }
//@ = }
//@ mutant not-initialised: uninitialized-read
//@ - unsigned int sum = 0;
//@ + unsigned int sum;

// The block's sum of `mine`, over all its threads; thread 0 has it.
static __device__ unsigned int blockSum(unsigned int mine)
{
    __shared__ unsigned int tile[1024];
    unsigned int tid = threadIdx.x;
    tile[tid] = mine;
    __syncthreads(); // every thread has its sum
    for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            tile[tid] += tile[tid + half];
        }
        __syncthreads();
    }
    return tile[0];
}

extern "C" __global__ void reduceTile(const unsigned int *g_idata, unsigned int *partials, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int sum = blockSum(i < size ? g_idata[i] : 0);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum;
    }
}

extern "C" __global__ void reducePartials(const unsigned int *partials, unsigned int *g_odata,
                                          unsigned int count)
{
    unsigned int tid = threadIdx.x;
    //@ begin
    unsigned int sum = 0;
    for (unsigned int i = tid; i < count; i += blockDim.x) {
        sum += partials[i];
    }
    //@ stub
    //| unsigned int sum = tid < count ? partials[tid] : 0;
    //@ end
    sum = blockSum(sum);
    if (tid == 0) {
        *g_odata = sum;
    }
}
