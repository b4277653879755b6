// 3.1 The last block
//
// Every block adds up a chunk of `blockDim.x` numbers. The last block may own fewer, and the kernel ignores
// that. Make it right for any array length and any block size, without a `return` before a barrier.
//
//@ learn how a block handles a chunk that is shorter than the block, with every thread at every barrier
//@ minutes 10
//@ launch reduceNeighbored(data, partials, n) grid=n/block
//@ hint How many elements does block b own? Its chunk begins at `blockIdx.x * blockDim.x`, and the array ends
//@      at `size`.
//@ hint Give every thread of the block the same `count`, and use it in the loop and the guard instead of
//@      `blockDim.x`.
//@ hint An empty array has one block, which owns nothing: what does it write?
//@ mutant no-guard: out-of-bounds
//@ - && tid + stride < count
//@ + && tid + stride < blockDim.x
//@ mutant guard-off-by-one: out-of-bounds
//@ - && tid + stride < count
//@ + && tid + stride <= count
//@ mutant no-barrier: data-race
//@ - __syncthreads();
//@ + // nothing
//@ mutant empty: out-of-bounds
//@ - count > 0 ? idata[0] : 0
//@ + idata[0]
//@ mutant all-blocks-write-one: data-race
//@ - g_odata[blockIdx.x] =
//@ + g_odata[0] =
//@ mutant another-parameter: missing-kernel
//@ - int *g_odata, unsigned int size)
//@ + int *g_odata, unsigned int size, int more)

extern "C" __global__ void reduceNeighbored(int *g_idata, int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    int *idata = g_idata + blockIdx.x * blockDim.x;
    //@ begin
    unsigned int first = blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    for (unsigned int stride = 1; stride < count; stride *= 2) {
        if (tid % (2 * stride) == 0 && tid + stride < count) {
            idata[tid] += idata[tid + stride];
        }
        __syncthreads();
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = count > 0 ? idata[0] : 0;
    }
    //@ stub
    //| for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
    //|     if (tid % (2 * stride) == 0 && tid + stride < blockDim.x) {
    //|         idata[tid] += idata[tid + stride];
    //|     }
    //|     __syncthreads();
    //| }
    //| if (tid == 0) {
    //|     g_odata[blockIdx.x] = idata[0];
    //| }
    //@ end
}
