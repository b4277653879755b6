// Chapter 4: the recursion itself runs on the device. A kernel halves its data and launches a child
// grid for what is left.
//
// Every device launch is checked where it is made: a launch that the device refuses is invisible to
// the host, which would go on and read a wrong sum. `failure[0]` receives the first error and
// `failure[1]` counts the launches that did not happen.

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

// The post's kernel: every block halves its own elements and hands the first half to a child of its
// own. The post waited for the child with cudaDeviceSynchronize(), which device code can no longer
// call. A tail launch needs no waiting: the child starts when the whole parent grid has finished, and
// sees all that it wrote.
// ANCHOR: gpuRecursiveReduce
extern "C" __global__ void gpuRecursiveReduce(int *g_idata, int *g_odata, unsigned int size,
                                              unsigned int *failure)
{
    unsigned int tid = threadIdx.x;
    unsigned int count = elementsOfThisBlock(size);
    int *idata = g_idata + blockIdx.x * blockDim.x;
    int *odata = g_odata + blockIdx.x;
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

// A fire-and-forget child may start at once, beside its parent. It sees the memory as the launching
// thread sees it at the launch, so this thread must first have seen the other threads' additions:
// hence the barrier.
// ANCHOR: gpuRecursiveReduceFireAndForget
extern "C" __global__ void gpuRecursiveReduceFireAndForget(int *g_idata, int *g_odata,
                                                           unsigned int size, unsigned int *failure)
{
    unsigned int tid = threadIdx.x;
    unsigned int count = elementsOfThisBlock(size);
    int *idata = g_idata + blockIdx.x * blockDim.x;
    int *odata = g_odata + blockIdx.x;
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

// One child a level instead of one a block: the grid as a whole halves the array, and one thread of
// it launches the next level. A tail launch waits for all blocks, which no barrier could do.
// ANCHOR: gpuRecursiveReduceGridWide
extern "C" __global__ void gpuRecursiveReduceGridWide(int *g_data, int *g_odata, unsigned int size,
                                                      unsigned int *failure)
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

// ANCHOR: gpuRecursiveReducePasses
// Block b owns the tile of PASS_ITEMS*blockDim.x elements that starts at b*PASS_ITEMS*blockDim.x.
#define PASS_ITEMS 8

// The recursion goes over passes, not over halves: each block brings its whole tile down to one
// partial sum, and the child does the same to the partial sums. Three launches serve 2^28 elements.
// The partial sums of this pass go to `partials`, those of the next pass behind them.
extern "C" __global__ void gpuRecursiveReducePasses(int *g_data, int *partials, int *g_odata,
                                                    unsigned int size, unsigned int *failure)
{
    unsigned int tid = threadIdx.x;
    unsigned int tile = PASS_ITEMS * blockDim.x;
    unsigned int first = blockIdx.x * tile;
    unsigned int count = first < size ? min(tile, size - first) : 0;
    int *data = g_data + first;

    // Thread t adds up elements t, t + blockDim.x, t + 2*blockDim.x, ... of the tile.
    int sum = 0;
#pragma unroll
    for (unsigned int k = 0; k < PASS_ITEMS; k++) {
        unsigned int i = tid + k * blockDim.x;
        sum += i < count ? data[i] : 0;
    }
    if (tid < count) {
        data[tid] = sum;
    }
    __syncthreads();

    for (unsigned int length = min(count, blockDim.x); length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            data[tid] += data[tid + half];
        }
        __syncthreads();
    }

    if (tid == 0) {
        int *result = gridDim.x == 1 ? g_odata : &partials[blockIdx.x];
        *result = count > 0 ? data[0] : 0;
    }
    if (blockIdx.x == 0 && tid == 0 && gridDim.x > 1) {
        unsigned int blocks = (gridDim.x + tile - 1) / tile;
        gpuRecursiveReducePasses<<<blocks, blockDim.x, 0, cudaStreamTailLaunch>>>(
            partials, partials + gridDim.x, g_odata, gridDim.x, failure);
        checkLaunch(failure);
    }
}
// ANCHOR_END: gpuRecursiveReducePasses
