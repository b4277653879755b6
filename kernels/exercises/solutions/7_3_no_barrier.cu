// 7.3 No barrier at all
//
// A warp needs no shared memory and no barrier to add up its 32 sums: its lanes read each other's registers
// with `__shfl_down_sync` or `__shfl_xor_sync`. Then one lane of each warp makes an atomic addition. Rewrite
// the end of the kernel that way. Blocks consist of whole warps here.
//
//@ learn to sum within a warp, without shared memory and without barriers
//@ minutes 15
//@ launch reduceWarps<<<4, block>>> @input @total u32:n
//@ result total
//@ goal barriers <= 0 n=4096 block=256
//@ goal atomics <= 32 n=4096 block=256
//@ hint Five shuffles, over the distances 16, 8, 4, 2 and 1:
//@      `mine += __shfl_down_sync(0xffffffff, mine, distance)`.
//@ hint All lanes reach every shuffle, even those that found no number: they contribute 0.
//@ hint Lane 0 of a warp is the thread with `threadIdx.x % 32 == 0`.
//@ why There are now eight atomic additions per block of 256 threads instead of one. Why may it be faster all
//@      the same?
//@ because The barriers are gone: no warp waits for the slowest one of its block, and each leaves as soon as
//@      it has added its sum. The grid is fixed, so the atomic additions are few, however long the array.
//@      With a block for every 256 numbers they would not be.
//@ mutant some-lanes-stay-away: warp-collective
//@ - int distance = 16;
//@ + int distance = i < size ? 16 : 0;
//@ mutant four-shuffles: wrong-result
//@ - int distance = 16;
//@ + int distance = 8;
//@ mutant every-lane-adds: wrong-result
//@ - if (threadIdx.x % 32 == 0) {
//@ + if (true) {
//@ mutant one-lane-per-block: wrong-result
//@ - threadIdx.x % 32 == 0
//@ + threadIdx.x == 0
//@ mutant lane-0-asks-31-lanes: work
//@ - for (int distance = 16; distance > 0; distance /= 2) {
//@ + unsigned int own = mine; for (int distance = 1; distance < 32; distance++) {
//@ - mine += __shfl_down_sync(0xffffffff, mine, distance);
//@ + mine += __shfl_down_sync(0xffffffff, own, distance);
//@ mutant thread-0-alone: one-thread
//@ - unsigned int k = i; k < size; k += gridDim.x * blockDim.x
//@ + unsigned int k = i / 32; threadIdx.x % 32 == 0 && k < size; k += gridDim.x * blockDim.x / 32
//@ mutant every-number-an-atomic: atomics
//@ - mine += g_idata[k];
//@ + atomicAdd(total, g_idata[k]);
//@ mutant by-xor: passes
//@ - __shfl_down_sync(0xffffffff, mine, distance)
//@ + __shfl_xor_sync(0xffffffff, mine, distance)
//@ mutant plain-addition: data-race
//@ - atomicAdd(total, mine);
//@ + *total += mine;

extern "C" __global__ void reduceWarps(const unsigned int *g_idata, unsigned int *total, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int mine = 0;
    for (unsigned int k = i; k < size; k += gridDim.x * blockDim.x) {
        mine += g_idata[k];
    }
    //@ begin
    for (int distance = 16; distance > 0; distance /= 2) {
        mine += __shfl_down_sync(0xffffffff, mine, distance);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(total, mine);
    }
    //@ stub
    //| __shared__ unsigned int tile[1024];
    //| tile[threadIdx.x] = mine;
    //| __syncthreads();
    //| for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
    //|     unsigned int half = (length + 1) / 2;
    //|     if (threadIdx.x + half < length) {
    //|         tile[threadIdx.x] += tile[threadIdx.x + half];
    //|     }
    //|     __syncthreads();
    //| }
    //| if (threadIdx.x == 0) {
    //|     atomicAdd(total, tile[0]);
    //| }
    //@ end
}
