// 7.3 No barrier at all
//
// A warp needs no shared memory and no barrier to add up its 32 sums: its lanes read each other's registers
// with `__shfl_xor_sync` or `__shfl_down_sync`. Then one lane of each warp makes an atomic addition. Rewrite
// the end of the kernel that way. Blocks consist of whole warps here.
//
//@ learn to sum within a warp, without shared memory and without barriers
//@ minutes 15
//@ launch reduceWarps(input, total, n) grid=4
//@ result total
//@ goal barriers <= 0 n=4096 block=256
//@ goal atomics <= 32 n=4096 block=256
//@ hint Five shuffles, over the distances 16, 8, 4, 2 and 1:
//@      `mine += __shfl_down_sync(0xffffffff, mine, distance)`.
//@ hint All lanes reach every shuffle, even those that found no number: they contribute 0.
//@ hint Lane 0 of a warp is the thread with `threadIdx.x % 32 == 0`.
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
//@ mutant plain-addition: data-race
//@ - atomicAdd(total, mine);
//@ + *total += mine;

extern "C" __global__ void reduceWarps(const int *g_idata, int *total, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mine = 0;
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
    //| __shared__ int tile[1024];
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
