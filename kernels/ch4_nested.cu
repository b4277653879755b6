// Chapter 4: the recursion runs on the device. A kernel halves its data and launches a child grid
// for what is left.
//
// Every device launch is checked where it is made. The host does not learn of a launch that the
// device refuses: it would carry on and read a wrong sum. `failure[0]` receives the first error,
// and `failure[1]` counts the launches that did not happen.
//
// The numbers are unsigned so that sums wrap as the host's do: signed overflow is undefined in C++.

// ANCHOR: checkLaunch
static __device__ void checkLaunch(unsigned int *failure)
{
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        atomicCAS(&failure[0], 0u, (unsigned int)error);
        atomicAdd(&failure[1], 1u);
    }
}
// ANCHOR_END: checkLaunch

// ANCHOR: elementsOfThisBlock
static __device__ unsigned int elementsOfThisBlock(unsigned int size)
{
    unsigned int first = blockIdx.x * blockDim.x;
    return first < size ? min(blockDim.x, size - first) : 0;
}
// ANCHOR_END: elementsOfThisBlock

// The textbook's kernel, ported: every block halves its own elements and hands the first half to a
// child of its own. The textbook waits for the child with cudaDeviceSynchronize(), which device
// code can no longer call. A tail launch needs no waiting: the child starts when the whole parent
// grid has finished, and sees everything that grid wrote.
// ANCHOR: gpuRecursiveReduce
extern "C" __global__ void gpuRecursiveReduce(unsigned int *g_idata, unsigned int *g_odata,
                                              unsigned int size, unsigned int *failure)
{
    unsigned int tid = threadIdx.x;
    unsigned int count = elementsOfThisBlock(size);
    unsigned int *idata = g_idata + blockIdx.x * blockDim.x;
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
    if (tid == 0) {
        gpuRecursiveReduce<<<1, half, 0, cudaStreamTailLaunch>>>(idata, odata, half, failure);
        checkLaunch(failure);
    }
}
// ANCHOR_END: gpuRecursiveReduce

// A fire-and-forget child may start at once, beside its parent. It sees memory as the launching
// thread sees it at the launch, so the barrier comes first: after it, this thread sees the other
// threads' additions.
// ANCHOR: gpuRecursiveReduceFireAndForget
extern "C" __global__ void gpuRecursiveReduceFireAndForget(unsigned int *g_idata,
                                                           unsigned int *g_odata, unsigned int size,
                                                           unsigned int *failure)
{
    unsigned int tid = threadIdx.x;
    unsigned int count = elementsOfThisBlock(size);
    unsigned int *idata = g_idata + blockIdx.x * blockDim.x;
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
    __syncthreads();
    if (tid == 0) {
        gpuRecursiveReduceFireAndForget<<<1, half, 0, cudaStreamFireAndForget>>>(idata, odata, half,
                                                                                 failure);
        checkLaunch(failure);
    }
}
// ANCHOR_END: gpuRecursiveReduceFireAndForget

// One child per level instead of one per block: the whole grid halves the array, and one of its
// threads launches the next level. The tail launch waits for all blocks; __syncthreads() would wait
// for one.
// ANCHOR: gpuRecursiveReduceGridWide
extern "C" __global__ void gpuRecursiveReduceGridWide(unsigned int *g_data, unsigned int *g_odata,
                                                      unsigned int size, unsigned int *failure)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (size <= 1) {
        if (i == 0) {
            *g_odata = size == 1 ? g_data[0] : 0;
        }
        return;
    }
    unsigned int half = (size + 1) / 2;
    if (i < size - half) {
        g_data[i] += g_data[i + half];
    }
    if (i == 0) {
        unsigned int pairs = half / 2; // additions the next level has to make
        unsigned int blocks = pairs > 0 ? (pairs + blockDim.x - 1) / blockDim.x : 1;
        gpuRecursiveReduceGridWide<<<blocks, blockDim.x, 0, cudaStreamTailLaunch>>>(g_data, g_odata,
                                                                                    half, failure);
        checkLaunch(failure);
    }
}
// ANCHOR_END: gpuRecursiveReduceGridWide
