// 6.1 All the partial sums
//
// The first launch leaves one partial sum per block, and the second has one block that adds them up. There
// may be more partial sums than that block has threads: then some are lost. Make the second kernel right for
// any number of them.
//
//@ learn how one block combines more values than it has threads
//@ minutes 10
//@ launch reduceTile(input, partials, n) grid=n/block
//@ launch reducePartials(partials, out, blocks) grid=1
//@ result out
//@ hint Suppose there are two more partial sums than threads: which threads could take the two that are left?
//@ hint Let thread t add up the partial sums t, t + blockDim.x, t + 2 * blockDim.x … in a register, before
//@      the tree.
//@ hint The tree then uses all threads. What does a thread without a partial sum contribute?
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
//@ mutant not-initialised: uninitialized-read
//@ - int sum = 0;
//@ + int sum;

// The block's sum of `mine`, over all its threads; thread 0 has it.
static __device__ int blockSum(int mine)
{
    __shared__ int tile[1024];
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

extern "C" __global__ void reduceTile(const int *g_idata, int *partials, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = blockSum(i < size ? g_idata[i] : 0);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum;
    }
}

extern "C" __global__ void reducePartials(const int *partials, int *g_odata, unsigned int count)
{
    unsigned int tid = threadIdx.x;
    //@ begin
    int sum = 0;
    for (unsigned int i = tid; i < count; i += blockDim.x) {
        sum += partials[i];
    }
    //@ stub
    //| int sum = tid < count ? partials[tid] : 0;
    //@ end
    sum = blockSum(sum);
    if (tid == 0) {
        *g_odata = sum;
    }
}
