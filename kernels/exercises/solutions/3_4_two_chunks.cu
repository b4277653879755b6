// 3.4 Two numbers per thread
//
// Half of the threads do nothing in the very first step. Let each block own twice as many numbers as it has
// threads: thread t loads its own number and the one `blockDim.x` further on, adds them in a register and
// stores the sum. Then the tree begins, over as many sums as there are threads. The host already launches
// half as many blocks.
//
//@ learn why each thread should add on its own before the tree begins
//@ minutes 15
//@ launch reduceTwo<<<n/(2*block), block>>> @data @partials u32:n
//@ goal barriers <= 160 n=1024 block=512
//@ hint The chunk of block b begins at `2 * blockIdx.x * blockDim.x`. How many elements does it own at most?
//@ hint The first addition needs its own guard: the last block may have a shorter second half, or none.
//@ hint Other threads read the sums of the first addition: what must come before the tree?
//@ hint The tree goes over at most `blockDim.x` sums: `min(count, blockDim.x)`.
//@ why The block now has twice the numbers, and its tree is no higher. Why is that worth more than the idle
//@      threads alone?
//@ because A barrier makes every warp wait, and there are as many barriers as steps. Twice the numbers per
//@      block means half the blocks, so half the barriers for the same array, and each thread has two
//@      independent loads in flight instead of one.
//@ mutant no-barrier-before-the-tree: data-race
//@ - __syncthreads(); // before the tree
//@ + // nothing
//@ mutant no-guard: out-of-bounds
//@ - if (tid + blockDim.x < count) {
//@ + if (true) {
//@ mutant one-chunk: wrong-result
//@ - 2 * blockIdx.x * blockDim.x
//@ + blockIdx.x * blockDim.x
//@ mutant tree-over-all: out-of-bounds
//@ - length = min(count, blockDim.x)
//@ + length = 2 * blockDim.x
//@ mutant forgets-to-store: wrong-result
//@ - idata[tid] = sum;
//@ + // nothing
//@ mutant one-barrier-too-many: goal
//@ - length = min(count, blockDim.x)
//@ + length = 2 * blockDim.x > count ? min(count, blockDim.x) : (__syncthreads(), min(count, blockDim.x))
//@ mutant thread-0-alone: one-thread
//@ = extern "C" __global__ void reduceTwo(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
//@ = {
//@ =     if (threadIdx.x == 0) {
//@ =         unsigned int first = 2 * blockIdx.x * blockDim.x;
//@ =         unsigned int sum = 0;
//@ =         for (unsigned int i = first; i < size && i < first + 2 * blockDim.x; i++) {
//@ =             sum += g_idata[i];
//@ =         }
//@ =         g_odata[blockIdx.x] = sum;
//@ =     }
//@ = }
//@ mutant every-thread-an-atomic: atomics
//@ = extern "C" __global__ void reduceTwo(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
//@ = {
//@ =     __shared__ unsigned int sum;
//@ =     unsigned int i = 2 * blockIdx.x * blockDim.x + threadIdx.x;
//@ =     if (threadIdx.x == 0) {
//@ =         sum = 0;
//@ =     }
//@ =     __syncthreads();
//@ =     unsigned int mine = (i < size ? g_idata[i] : 0);
//@ =     mine += (i + blockDim.x < size ? g_idata[i + blockDim.x] : 0);
//@ =     atomicAdd(&sum, mine);
//@ =     __syncthreads();
//@ =     if (threadIdx.x == 0) {
//@ =         g_odata[blockIdx.x] = sum;
//@ =     }
//@ = }
//@ mutant in-memory: passes
//@ - unsigned int sum = idata[tid] + idata[tid + blockDim.x];
//@ + idata[tid] += idata[tid + blockDim.x];
//@ - idata[tid] = sum;
//@ + // nothing
//@ mutant over-the-whole-block: passes
//@ - length = min(count, blockDim.x)
//@ + length = blockDim.x
//@ - if (tid + half < length) {
//@ + if (tid + half < length && tid + half < count) {

extern "C" __global__ void reduceTwo(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    //@ begin
    unsigned int first = 2 * blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(2 * blockDim.x, size - first) : 0;
    unsigned int *idata = g_idata + first;
    if (tid + blockDim.x < count) {
        unsigned int sum = idata[tid] + idata[tid + blockDim.x];
        idata[tid] = sum;
    }
    __syncthreads(); // before the tree
    for (unsigned int length = min(count, blockDim.x); length > 1; length = (length + 1) / 2) {
    //@ stub
    //| unsigned int first = blockIdx.x * blockDim.x;
    //| unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    //| unsigned int *idata = g_idata + first;
    //| for (unsigned int length = count; length > 1; length = (length + 1) / 2) {
    //@ end
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            idata[tid] += idata[tid + half];
        }
        __syncthreads();
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = count > 0 ? idata[0] : 0;
    }
}
