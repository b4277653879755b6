// Chapter 4: the recursion itself runs on the device. A kernel halves its data and launches a child
// grid for what is left.
//
// Every device launch is checked where it is made: a launch that the device refuses is invisible to
// the host, which would go on and read a wrong sum. `failure[0]` receives the first error and
// `failure[1]` counts the launches that did not happen.

#if __CUDA_ARCH__ >= 900
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#endif

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
// False once the sum is in g_odata.
static __device__ bool halveArray(int *g_data, int *g_odata, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (size <= 1) {
        if (i == 0) {
            *g_odata = size == 1 ? g_data[0] : 0;
        }
        return false;
    }
    unsigned int half = (size + 1) / 2;
    if (i < size - half) {
        g_data[i] += g_data[i + half];
    }
    return true;
}

extern "C" __global__ void gpuRecursiveReduceGridWide(int *g_data, int *g_odata, unsigned int size,
                                                      unsigned int *failure)
{
    if (halveArray(g_data, g_odata, size) && blockIdx.x == 0 && threadIdx.x == 0) {
        unsigned int half = (size + 1) / 2;
        unsigned int pairs = half / 2; // additions the next level has to make
        unsigned int blocks = pairs > 0 ? (pairs + blockDim.x - 1) / blockDim.x : 1;
        gpuRecursiveReduceGridWide<<<blocks, blockDim.x, 0, cudaStreamTailLaunch>>>(g_data, g_odata,
                                                                                    half, failure);
        checkLaunch(failure);
    }
}
// ANCHOR_END: gpuRecursiveReduceGridWide

// One level for the host to launch, or for a graph: the same body, and no launch.
// ANCHOR: reduceLevel
extern "C" __global__ void reduceLevel(int *g_data, int *g_odata, unsigned int size)
{
    halveArray(g_data, g_odata, size);
}
// ANCHOR_END: reduceLevel

// ANCHOR: blockSum
// The sum over a warp whose lanes in `mask`, the lowest, have a value each.
static __device__ int warpSum(unsigned int mask, int value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(mask, value);
#else
    unsigned int lane = threadIdx.x % 32;
    for (unsigned int length = __popc(mask); length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        bool adds = lane + half < length;
        int other = __shfl_sync(mask, value, adds ? lane + half : lane);
        value += adds ? other : 0;
    }
    return value;
#endif
}

// The sum over the block, in thread 0: a sum a warp, then the first warp adds those up.
static __device__ int blockSum(int value)
{
    __shared__ int sums[32];
    unsigned int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned int warps = (blockDim.x + 31) / 32;
    unsigned int lanes = min(32, blockDim.x - warp * 32);
    value = warpSum(0xffffffff >> (32 - lanes), value);
    if (lane == 0) {
        sums[warp] = value;
    }
    __syncthreads();
    if (warp == 0) {
        // Fewer lanes than warps there are none: a block of several warps has a full first one.
        value = warpSum(0xffffffff >> (32 - lanes), lane < warps ? sums[lane] : 0);
    }
    return value;
}
// ANCHOR_END: blockSum

// ANCHOR: gpuRecursiveReducePasses
// What this thread adds up on its own: thread t of T takes the quadruples t, t + T, t + 2T, ... and
// has four loads of 16 bytes under way at a time. `data` lies at a multiple of 16 bytes.
static __device__ int sumOfThread(const int *data, unsigned int size)
{
    unsigned int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    const int4 *quadruples = (const int4 *)data;
    unsigned int count = size / 4;
    int sum = 0;
    unsigned int i = t;
    for (; i + 3 * threads < count; i += 4 * threads) {
        int4 a = quadruples[i], b = quadruples[i + threads];
        int4 c = quadruples[i + 2 * threads], d = quadruples[i + 3 * threads];
        sum += (a.x + a.y + a.z + a.w) + (b.x + b.y + b.z + b.w);
        sum += (c.x + c.y + c.z + c.w) + (d.x + d.y + d.z + d.w);
    }
    for (; i < count; i += threads) {
        int4 a = quadruples[i];
        sum += a.x + a.y + a.z + a.w;
    }
    for (i = 4 * count + t; i < size; i += threads) {
        sum += data[i];
    }
    return sum;
}

// The blocks of a pass over `size` numbers: one while its threads have at most 512 each, since the
// host's or a parent's next launch would cost more; else as many as give every thread 16.
static __device__ unsigned int blocksOfPass(unsigned int size)
{
    unsigned int tile = 16 * blockDim.x;
    return size <= 512 * blockDim.x ? 1 : (size + tile - 1) / tile;
}

// The recursion goes over passes, not over halves: each block brings its share down to one sum, and
// the child does the same to those sums, until one block is enough. The sums of this pass go to
// `partials`, those of the next behind them, at the next multiple of 16 bytes.
extern "C" __global__ void gpuRecursiveReducePasses(const int *g_data, int *partials, int *g_odata,
                                                    unsigned int size, unsigned int *failure)
{
    bool last = gridDim.x == 1;
    int sum = blockSum(sumOfThread(g_data, size));
    if (threadIdx.x == 0) {
        (last ? g_odata : partials)[blockIdx.x] = sum;
    }
    if (!last && blockIdx.x == 0 && threadIdx.x == 0) {
        unsigned int sums = gridDim.x;
        gpuRecursiveReducePasses<<<blocksOfPass(sums), blockDim.x, 0, cudaStreamTailLaunch>>>(
            partials, partials + (sums + 3) / 4 * 4, g_odata, sums, failure);
        checkLaunch(failure);
    }
}
// ANCHOR_END: gpuRecursiveReducePasses

// One pass for the host to launch, or for a graph: block b leaves its sum in sums[b].
// ANCHOR: reducePass
extern "C" __global__ void reducePass(const int *g_data, int *sums, unsigned int size)
{
    int sum = blockSum(sumOfThread(g_data, size));
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
    }
}
// ANCHOR_END: reducePass

// The recursion over passes again, with a cutoff: the pass that has few blocks adds up their sums
// itself.

// ANCHOR: reduceToOne
// The end of the recursion: no launch in it. Each block adds its sum to the upper half of `total`
// and a one to the lower half, both with one addition. Who finds all other blocks counted has the
// sum. `total` is 0 before and after.
extern "C" __global__ void reduceToOne(const int *g_data, int *g_odata, unsigned int size,
                                       unsigned long long *total)
{
    int sum = blockSum(sumOfThread(g_data, size));
    if (threadIdx.x == 0) {
        unsigned long long own = (unsigned long long)(unsigned int)sum << 32 | 1;
        unsigned long long others = gridDim.x > 1 ? atomicAdd(total, own) : 0;
        if ((unsigned int)others == gridDim.x - 1) {
            *g_odata = (int)(others >> 32) + sum;
            *total = 0;
        }
    }
}
// ANCHOR_END: reduceToOne

// ANCHOR: gpuRecursiveReduceCutoff
// By trial: with more blocks a child takes less time than their additions to one word.
constexpr unsigned int CUTOFF = 32768;

// A step of the recursion: a pass that leaves a sum a block, and a child over those sums. Only with
// more than CUTOFF blocks is it worth a child.
extern "C" __global__ void gpuRecursiveReduceCutoff(const int *g_data, int *partials, int *g_odata,
                                                    unsigned int size, unsigned long long *total,
                                                    unsigned int *failure)
{
    int sum = blockSum(sumOfThread(g_data, size));
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        unsigned int sums = gridDim.x, tile = 16 * blockDim.x;
        unsigned int blocks = (sums + tile - 1) / tile;
        if (blocks <= CUTOFF) {
            reduceToOne<<<blocks, blockDim.x, 0, cudaStreamTailLaunch>>>(partials, g_odata, sums,
                                                                         total);
        } else {
            gpuRecursiveReduceCutoff<<<blocks, blockDim.x, 0, cudaStreamTailLaunch>>>(
                partials, partials + (sums + 3) / 4 * 4, g_odata, sums, total, failure);
        }
        checkLaunch(failure);
    }
}
// ANCHOR_END: gpuRecursiveReduceCutoff

// Two shapes of newer GPUs. Code for older ones has an empty body, and the host does not launch it.

// The same recursion over passes, in which a cluster takes the place of a block: eight blocks that
// run at the same time and reach each other's shared memory.
// ANCHOR: gpuRecursiveReduceCluster
#if __CUDA_ARCH__ >= 900
#define IN_CLUSTERS __cluster_dims__(8, 1, 1)
#else
#define IN_CLUSTERS
#endif
extern "C" __global__ void IN_CLUSTERS gpuRecursiveReduceCluster(const int *g_data, int *partials,
                                                                 int *g_odata, unsigned int size,
                                                                 unsigned int *failure)
{
#if __CUDA_ARCH__ >= 900
    cg::cluster_group cluster = cg::this_cluster();
    unsigned int clusters = gridDim.x / 8;
    __shared__ int total; // that of the cluster's first block counts
    if (threadIdx.x == 0) {
        total = 0;
    }
    cluster.sync();
    int sum = blockSum(sumOfThread(g_data, size));
    if (threadIdx.x == 0) {
        atomicAdd(cluster.map_shared_rank(&total, 0), sum);
    }
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x == 0) {
        (clusters == 1 ? g_odata : partials)[blockIdx.x / 8] = total;
    }
    if (clusters > 1 && blockIdx.x == 0 && threadIdx.x == 0) {
        unsigned int tile = 8 * 16 * blockDim.x;
        unsigned int next = clusters <= 8 * 512 * blockDim.x ? 1 : (clusters + tile - 1) / tile;
        gpuRecursiveReduceCluster<<<8 * next, blockDim.x, 0, cudaStreamTailLaunch>>>(
            partials, partials + (clusters + 3) / 4 * 4, g_odata, clusters, failure);
        checkLaunch(failure);
    }
#endif
}
// ANCHOR_END: gpuRecursiveReduceCluster

// A pass that hands over to a graph instead of a child grid: `next` is one that the host has made
// ready for launches from the device, and holds the pass over the sums of this one. 0: none.
// ANCHOR: reducePassThenGraph
extern "C" __global__ void reducePassThenGraph(const int *g_data, int *sums, unsigned int size,
                                               cudaGraphExec_t next)
{
#if __CUDA_ARCH__ >= 900
    int sum = blockSum(sumOfThread(g_data, size));
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
    }
    if (next != 0 && blockIdx.x == 0 && threadIdx.x == 0) {
        cudaGraphLaunch(next, cudaStreamGraphTailLaunch);
    }
#endif
}
// ANCHOR_END: reducePassThenGraph
