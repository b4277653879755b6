// The page "Beside the libraries": three ways to add up what the threads of a block hold, one written by
// hand and two from NVIDIA's headers. All three load alike, eight elements per thread, and finish with one
// atomic addition per block. The host sets *g_odata to 0 before each launch. Right for any size up to
// 2^32 - 2^16. Whole numbers are unsigned here, so that sums wrap as the host's do.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/block/block_reduce.cuh>

namespace cg = cooperative_groups;

// CUB takes the number of threads when it is compiled; all three have this many.
constexpr int BLOCK = 512;
constexpr int ITEMS = 8;

static __device__ unsigned int sumOfThread(const unsigned int *g_idata, unsigned int size)
{
    unsigned int sum = 0;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        unsigned int i = (blockIdx.x * ITEMS + k) * BLOCK + threadIdx.x;
        sum += i < size ? g_idata[i] : 0;
    }
    return sum;
}

// ANCHOR: reduceByHand
extern "C" __global__ void __launch_bounds__(BLOCK)
    reduceByHand(const unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    __shared__ unsigned int ofWarp[BLOCK / 32];
    unsigned int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned int sum = sumOfThread(g_idata, size);
    for (unsigned int lanes = 16; lanes > 0; lanes /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, lanes);
    }
    if (lane == 0) {
        ofWarp[warp] = sum;
    }
    __syncthreads();
    if (warp == 0) {
        sum = lane < BLOCK / 32 ? ofWarp[lane] : 0;
        for (unsigned int lanes = 16; lanes > 0; lanes /= 2) {
            sum += __shfl_down_sync(0xffffffff, sum, lanes);
        }
    }
    if (threadIdx.x == 0) {
        atomicAdd(g_odata, sum);
    }
}
// ANCHOR_END: reduceByHand

// ANCHOR: reduceBlockReduce
extern "C" __global__ void __launch_bounds__(BLOCK)
    reduceBlockReduce(const unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    using BlockReduce = cub::BlockReduce<unsigned int, BLOCK>;
    __shared__ typename BlockReduce::TempStorage temporary;
    unsigned int sum = BlockReduce(temporary).Sum(sumOfThread(g_idata, size));
    if (threadIdx.x == 0) { // no other thread has the sum
        atomicAdd(g_odata, sum);
    }
}
// ANCHOR_END: reduceBlockReduce

// ANCHOR: reduceGroups
extern "C" __global__ void __launch_bounds__(BLOCK)
    reduceGroups(const unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    __shared__ unsigned int ofBlock;
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    if (block.thread_rank() == 0) {
        ofBlock = 0;
    }
    block.sync();
    unsigned int sum = cg::reduce(warp, sumOfThread(g_idata, size), cg::plus<unsigned int>());
    if (warp.thread_rank() == 0) { // all lanes have it
        atomicAdd(&ofBlock, sum);
    }
    block.sync();
    if (block.thread_rank() == 0) {
        atomicAdd(g_odata, ofBlock);
    }
}
// ANCHOR_END: reduceGroups
