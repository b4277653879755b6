// 3.4 Two numbers per thread
//
// Half of the threads do nothing in the very first step. Let each block own twice as many numbers as it has
// threads: thread t first adds the number `blockDim.x` further on to its own, and then the tree begins. The
// host already launches half as many blocks.
//
//@ learn why each thread should add on its own before the tree begins
//@ minutes 15
//@ launch reduceTwo(data, partials, n) grid=n/(2*block)
//@ goal barriers <= 160 n=1024 block=512
//@ hint The chunk of block b begins at `2 * blockIdx.x * blockDim.x`. How many elements does it own at most?
//@ hint The first addition needs its own guard: the last block may have a shorter second half, or none.
//@ hint Other threads read the sums of the first addition: what must come before the tree?
//@ hint The tree goes over at most `blockDim.x` sums: `min(count, blockDim.x)`.
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
//@ mutant by-the-tree-alone: goal
//@ - length = min(count, blockDim.x)
//@ + length = 2 * blockDim.x > count ? min(count, blockDim.x) : (__syncthreads(), min(count, blockDim.x))

extern "C" __global__ void reduceTwo(int *g_idata, int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    //@ begin
    unsigned int first = 2 * blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(2 * blockDim.x, size - first) : 0;
    int *idata = g_idata + first;
    if (tid + blockDim.x < count) {
        idata[tid] += idata[tid + blockDim.x];
    }
    __syncthreads(); // before the tree
    for (unsigned int length = min(count, blockDim.x); length > 1; length = (length + 1) / 2) {
    //@ stub
    //| unsigned int first = blockIdx.x * blockDim.x;
    //| unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    //| int *idata = g_idata + first;
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
