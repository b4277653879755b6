// 6.4 One atomic addition per block
//
// `atomicAdd` on one counter makes a second pass unnecessary: no addition is lost, and the order doesn't
// matter. But all these additions queue at one address. Let each block add up its numbers first, and then
// make one atomic addition.
//
//@ learn to combine values within a block before they meet at one address
//@ minutes 10
//@ launch reduceAtomic<<<n/block, block>>> @input @total u32:n
//@ result total
//@ goal atomics <= 4 n=1024 block=256
//@ hint `blockSum` is already there: what does every thread pass to it, and which thread uses the result?
//@ hint All threads of the block must call `blockSum`, since it has a barrier. What does a thread beyond the
//@      end pass?
//@ why The blocks add in any order. Why is the sum the same every time, and for which numbers might it
//@      differ?
//@ because Addition of integers that wraps is associative and commutative: any order gives the same bits.
//@      Floats round after every addition, so another order may change the last digits.
//@ mutant plain-addition: data-race
//@ - atomicAdd(total, sum);
//@ + *total += sum;
//@ mutant every-thread-adds: wrong-result
//@ - if (threadIdx.x == 0) {
//@ + if (true) {
//@ mutant some-threads-leave: uninitialized-read
//@ - unsigned int sum = blockSum(i < size ? g_idata[i] : 0);
//@ + if (i >= size) return; unsigned int sum = blockSum(g_idata[i]);
//@ mutant thread-0-alone: one-thread
//@ = extern "C" __global__ void reduceAtomic(const unsigned int *g_idata, unsigned int *total,
//@ =                                         unsigned int size)
//@ = {
//@ =     if (threadIdx.x == 0) {
//@ =         unsigned int first = blockIdx.x * blockDim.x;
//@ =         unsigned int sum = 0;
//@ =         for (unsigned int i = first; i < size && i < first + blockDim.x; i++) {
//@ =             sum += g_idata[i];
//@ =         }
//@ =         atomicAdd(total, sum);
//@ =     }
//@ = }
//@ mutant every-number-an-atomic-in-shared-memory: atomics
//@ = extern "C" __global__ void reduceAtomic(const unsigned int *g_idata, unsigned int *total,
//@ =                                         unsigned int size)
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
//@ =         atomicAdd(total, sum);
//@ =     }
//@ = }
//@ mutant a-store: data-race
//@ - atomicAdd(total, sum);
//@ + *total = sum;
//@ mutant no-barrier: data-race
//@ - __syncthreads(); // the tile is there
//@ + // nothing
//@ mutant writes-into-the-input: input-changed
//@ - atomicAdd(total, sum);
//@ + atomicAdd(total, sum); if (i < size) ((unsigned int *)g_idata)[i] = 0;

// The sum of `mine` over all threads of the block.
static __device__ unsigned int blockSum(unsigned int mine)
{
    __shared__ unsigned int tile[1024];
    unsigned int tid = threadIdx.x;
    tile[tid] = mine;
    __syncthreads(); // the tile is there
    for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            tile[tid] += tile[tid + half];
        }
        __syncthreads();
    }
    return tile[0];
}

extern "C" __global__ void reduceAtomic(const unsigned int *g_idata, unsigned int *total, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    //@ begin
    unsigned int sum = blockSum(i < size ? g_idata[i] : 0);
    if (threadIdx.x == 0) {
        atomicAdd(total, sum);
    }
    //@ stub
    //| if (i < size) {
    //|     atomicAdd(total, g_idata[i]);
    //| }
    //@ end
}
