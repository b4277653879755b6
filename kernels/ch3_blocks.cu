// Chapter 3: many blocks. Each adds up its own chunk of the array, in place, and leaves one partial
// sum in g_odata[blockIdx.x]; the host adds the partial sums.
//
// Block b owns the elements from b*blockDim.x on: blockDim.x of them, fewer in the last block, none in
// a block beyond the end. Every kernel is right for any size and any number of threads per block, in a
// grid of at most 2^32 threads.
//
// The numbers are unsigned, so that sums wrap as the host's do: signed overflow is undefined in C++.

// ANCHOR: elementsOfThisBlock
// How many elements this block owns. All its threads get the same answer, so they go through a loop
// over it together, and none has to return before a barrier at which the others wait.
static __device__ unsigned int elementsOfThisBlock(unsigned int size)
{
    unsigned int first = blockIdx.x * blockDim.x;
    return first < size ? min(blockDim.x, size - first) : 0;
}
// ANCHOR_END: elementsOfThisBlock

// ANCHOR: reduceNeighbored
extern "C" __global__ void reduceNeighbored(unsigned int *g_idata, unsigned int *g_odata,
                                            unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int count = elementsOfThisBlock(size);
    unsigned int *idata = g_idata + blockIdx.x * blockDim.x;
    for (unsigned int stride = 1; stride < count; stride *= 2) {
        if (tid % (2 * stride) == 0 && tid + stride < count) {
            idata[tid] += idata[tid + stride];
        }
        __syncthreads();
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = count > 0 ? idata[0] : 0;
    }
}
// ANCHOR_END: reduceNeighbored

// The same threads make the same additions. 2*stride is a power of two, so its multiples are the numbers
// whose lowest bits are 0: one AND in place of a division.
// ANCHOR: reduceNeighboredMask
extern "C" __global__ void reduceNeighboredMask(unsigned int *g_idata, unsigned int *g_odata,
                                                unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int count = elementsOfThisBlock(size);
    unsigned int *idata = g_idata + blockIdx.x * blockDim.x;
    for (unsigned int stride = 1; stride < count; stride *= 2) {
        if ((tid & (2 * stride - 1)) == 0 && tid + stride < count) {
            idata[tid] += idata[tid + stride];
        }
        __syncthreads();
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = count > 0 ? idata[0] : 0;
    }
}
// ANCHOR_END: reduceNeighboredMask

// The same additions, done by other threads: in step `stride` the first count/(2*stride) threads
// work, so that whole warps are idle instead of most lanes of every warp.
// ANCHOR: reduceNeighboredLess
extern "C" __global__ void reduceNeighboredLess(unsigned int *g_idata, unsigned int *g_odata,
                                                unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int count = elementsOfThisBlock(size);
    unsigned int *idata = g_idata + blockIdx.x * blockDim.x;
    for (unsigned int stride = 1; stride < count; stride *= 2) {
        unsigned int index = 2 * stride * tid;
        if (index + stride < count) {
            idata[index] += idata[index + stride];
        }
        __syncthreads();
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = count > 0 ? idata[0] : 0;
    }
}
// ANCHOR_END: reduceNeighboredLess

// The tree of the serial recursion: the second half is added onto the first, and the first half is
// what remains. Neighbouring threads access neighbouring elements, so a warp's loads share sectors.
// Rounding the half up leaves an odd element in the middle alone, and it takes part in the next step.
// ANCHOR: reduceInterleaved
extern "C" __global__ void reduceInterleaved(unsigned int *g_idata, unsigned int *g_odata,
                                             unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int count = elementsOfThisBlock(size);
    unsigned int *idata = g_idata + blockIdx.x * blockDim.x;
    for (unsigned int length = count; length > 1; length = (length + 1) / 2) {
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
// ANCHOR_END: reduceInterleaved
