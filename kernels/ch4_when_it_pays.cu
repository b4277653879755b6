// Chapter 4.1, when nesting pays: a recursion over passes instead of halves, with few launches or
// none, and the same passes and levels for the host or a graph to launch.
//
// As in ch4_nested.cu, every device launch is checked, and the numbers are unsigned so that sums
// wrap.

#if __CUDA_ARCH__ >= 900
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#endif

// Notes the error of the launch just made: cudaGetLastError(), or what cudaGraphLaunch returned.
static __device__ void checkLaunch(cudaError_t error, unsigned int *failure)
{
    if (error != cudaSuccess) {
        atomicCAS(&failure[0], 0u, (unsigned int)error);
        atomicAdd(&failure[1], 1u);
    }
}

// One level of gpuRecursiveReduceGridWide, for the host or a graph to launch: the same halving, and
// no launch.
// ANCHOR: reduceLevel
extern "C" __global__ void reduceLevel(unsigned int *g_data, unsigned int *g_odata,
                                       unsigned int size)
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
}
// ANCHOR_END: reduceLevel

// ANCHOR: blockSum
// The sum over the lanes in `mask`, which are the lowest of the warp. Each has one value.
static __device__ unsigned int warpSum(unsigned int mask, unsigned int value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(mask, value);
#else
    unsigned int lane = threadIdx.x % 32;
    for (unsigned int length = __popc(mask); length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        bool adds = lane + half < length;
        unsigned int other = __shfl_sync(mask, value, adds ? lane + half : lane);
        value += adds ? other : 0;
    }
    return value;
#endif
}

// The sum over the block, returned to thread 0: one sum per warp, then the first warp adds those
// up.
static __device__ unsigned int blockSum(unsigned int value)
{
    __shared__ unsigned int sums[32];
    unsigned int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned int warps = (blockDim.x + 31) / 32;
    unsigned int lanes = min(32, blockDim.x - warp * 32);
    value = warpSum(0xffffffff >> (32 - lanes), value);
    if (lane == 0) {
        sums[warp] = value;
    }
    __syncthreads();
    if (warp == 0) {
        // The first warp has a lane for each warp: in a block of several warps it is full.
        value = warpSum(0xffffffff >> (32 - lanes), lane < warps ? sums[lane] : 0);
    }
    return value;
}
// ANCHOR_END: blockSum

// ANCHOR: sumOfThread
// The sum of this thread's elements: thread t of T takes the quadruples t, t + T, t + 2T, ... and
// has four 16-byte loads in flight at a time. `data` is aligned to 16 bytes.
static __device__ unsigned int sumOfThread(const unsigned int *data, unsigned int size)
{
    unsigned int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    const uint4 *quadruples = (const uint4 *)data;
    unsigned int count = size / 4, sum = 0;
    unsigned int i = t;
    for (; i + 3 * threads < count; i += 4 * threads) {
        uint4 a = quadruples[i], b = quadruples[i + threads];
        uint4 c = quadruples[i + 2 * threads], d = quadruples[i + 3 * threads];
        sum += (a.x + a.y + a.z + a.w) + (b.x + b.y + b.z + b.w);
        sum += (c.x + c.y + c.z + c.w) + (d.x + d.y + d.z + d.w);
    }
    for (; i < count; i += threads) {
        uint4 a = quadruples[i];
        sum += a.x + a.y + a.z + a.w;
    }
    for (i = 4 * count + t; i < size; i += threads) {
        sum += data[i];
    }
    return sum;
}
// ANCHOR_END: sumOfThread

// ANCHOR: blocksOfPass
// The number of blocks in a pass over `size` numbers: one while its threads have at most 512 each,
// since another launch would cost more; else as many as give every thread 16.
static __device__ unsigned int blocksOfPass(unsigned int size)
{
    unsigned int tile = 16 * blockDim.x;
    return size <= 512 * blockDim.x ? 1 : (size + tile - 1) / tile;
}
// ANCHOR_END: blocksOfPass

// The recursion goes over passes, not over halves: each block reduces its share to one sum, and the
// child does the same with those sums, until one block is enough. The sums of this pass go to
// `partials`, those of the next pass after them, from the next multiple of 16 bytes on.
// ANCHOR: gpuRecursiveReducePasses
extern "C" __global__ void gpuRecursiveReducePasses(const unsigned int *g_data,
                                                    unsigned int *partials, unsigned int *g_odata,
                                                    unsigned int size, unsigned int *failure)
{
    bool last = gridDim.x == 1;
    unsigned int sum = blockSum(sumOfThread(g_data, size));
    if (threadIdx.x == 0) {
        (last ? g_odata : partials)[blockIdx.x] = sum;
    }
    if (!last && blockIdx.x == 0 && threadIdx.x == 0) {
        unsigned int sums = gridDim.x;
        gpuRecursiveReducePasses<<<blocksOfPass(sums), blockDim.x, 0, cudaStreamTailLaunch>>>(
            partials, partials + (sums + 3) / 4 * 4, g_odata, sums, failure);
        checkLaunch(cudaGetLastError(), failure);
    }
}
// ANCHOR_END: gpuRecursiveReducePasses

// One pass, for the host or a graph to launch: block b leaves its sum in sums[b].
// ANCHOR: reducePass
extern "C" __global__ void reducePass(const unsigned int *g_data, unsigned int *sums,
                                      unsigned int size)
{
    unsigned int sum = blockSum(sumOfThread(g_data, size));
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
    }
}
// ANCHOR_END: reducePass

// The recursion over passes again, with a cutoff: in a pass of few blocks, the blocks add up their
// sums themselves.

// The end of the recursion launches nothing. Each block adds its sum to the upper half of `total`
// and 1 to the lower half, in one addition. The last block to arrive finds all the others counted,
// and so has their sum. `total` is 0 before and after.
// ANCHOR: reduceToOne
extern "C" __global__ void reduceToOne(const unsigned int *g_data, unsigned int *g_odata,
                                       unsigned int size, unsigned long long *total)
{
    unsigned int sum = blockSum(sumOfThread(g_data, size));
    if (threadIdx.x == 0) {
        unsigned long long own = (unsigned long long)sum << 32 | 1;
        unsigned long long others = gridDim.x > 1 ? atomicAdd(total, own) : 0;
        if ((unsigned int)others == gridDim.x - 1) {
            *g_odata = (unsigned int)(others >> 32) + sum;
            *total = 0;
        }
    }
}
// ANCHOR_END: reduceToOne

// ANCHOR: gpuRecursiveReduceCutoff
// Found by trial: with more blocks than this, a child takes less time than their additions to one
// word.
constexpr unsigned int CUTOFF = 32768;

// A step of the recursion: a pass that leaves one sum per block, and a child for those sums. The
// child launches again only if it has more than CUTOFF blocks.
extern "C" __global__ void gpuRecursiveReduceCutoff(const unsigned int *g_data,
                                                    unsigned int *partials, unsigned int *g_odata,
                                                    unsigned int size, unsigned long long *total,
                                                    unsigned int *failure)
{
    unsigned int sum = blockSum(sumOfThread(g_data, size));
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
        checkLaunch(cudaGetLastError(), failure);
    }
}
// ANCHOR_END: gpuRecursiveReduceCutoff

// Two kernels that are built for compute capability 9.0 and newer. For older GPUs their bodies are
// empty, and the host does not launch them.

// The recursion over passes, with a cluster in place of a block: eight blocks that run at the same
// time and reach each other's shared memory.
// ANCHOR: gpuRecursiveReduceCluster
#if __CUDA_ARCH__ >= 900
#define IN_CLUSTERS __cluster_dims__(8, 1, 1)
#else
#define IN_CLUSTERS
#endif
extern "C" __global__ void IN_CLUSTERS gpuRecursiveReduceCluster(const unsigned int *g_data,
                                                                 unsigned int *partials,
                                                                 unsigned int *g_odata,
                                                                 unsigned int size,
                                                                 unsigned int *failure)
{
#if __CUDA_ARCH__ >= 900
    cg::cluster_group cluster = cg::this_cluster();
    unsigned int clusters = gridDim.x / 8;
    __shared__ unsigned int total; // of which only the first block's is used
    if (threadIdx.x == 0) {
        total = 0;
    }
    cluster.sync();
    unsigned int sum = blockSum(sumOfThread(g_data, size));
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
        checkLaunch(cudaGetLastError(), failure);
    }
#endif
}
// ANCHOR_END: gpuRecursiveReduceCluster

// A pass that launches a graph instead of a child grid. `next` is a graph that the host has
// prepared for launches from the device: the pass over this pass's sums. 0: there is none.
// ANCHOR: reducePassThenGraph
extern "C" __global__ void reducePassThenGraph(const unsigned int *g_data, unsigned int *sums,
                                               unsigned int size, cudaGraphExec_t next,
                                               unsigned int *failure)
{
#if __CUDA_ARCH__ >= 900
    unsigned int sum = blockSum(sumOfThread(g_data, size));
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
    }
    if (next != 0 && blockIdx.x == 0 && threadIdx.x == 0) {
        checkLaunch(cudaGraphLaunch(next, cudaStreamGraphTailLaunch), failure);
    }
#endif
}
// ANCHOR_END: reducePassThenGraph
