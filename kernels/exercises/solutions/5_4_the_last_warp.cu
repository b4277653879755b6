// 5.4 The last warp
//
// When 32 sums are left, one warp does all the work, and all others wait at five more barriers for nothing.
// Stop the tree at 32 and let the first warp finish with `__shfl_down_sync`: a lane reads another lane's
// register, without memory and without a barrier. Blocks here have 64 threads or more, a power of two.
//
//@ learn how the lanes of a warp exchange registers, without memory and without barriers
//@ minutes 20
//@ launch reduceWarp(input, partials, n) grid=n/block
//@ blocks 64 256
//@ goal barriers <= 32 n=256 block=256
//@ hint The tree ends at `length > 32`. Then lane t of the first warp takes `tile[t]` into a register.
//@ hint `sum += __shfl_down_sync(0xffffffff, sum, 16)` adds the sum of lane t + 16 to that of lane t. Which
//@      distances follow?
//@ hint The mask names the lanes that take part. All 32 of them must reach the shuffle, even those whose
//@      result is not used: branch on `tid < 32`, not on fewer.
//@ mutant half-a-warp: warp-collective
//@ - if (tid < 32) {
//@ + if (tid < 16) {
//@ mutant a-step-too-few: wrong-result
//@ - distance > 0; distance /= 2
//@ + distance > 1; distance /= 2
//@ mutant too-far: wrong-result
//@ - sum, distance)
//@ + sum, distance + 1)
//@ mutant no-barrier-in-the-tree: data-race
//@ - __syncthreads(); // a step is done
//@ + // nothing
//@ mutant as-before: goal
//@ - length > 32;
//@ + length > 32 || (length > 1 && (__syncthreads(), false));

extern "C" __global__ void reduceWarp(const int *g_idata, int *g_odata, unsigned int size)
{
    __shared__ int tile[1024];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + tid;
    tile[tid] = i < size ? g_idata[i] : 0;
    __syncthreads(); // the tile is there
    //@ begin
    for (unsigned int length = blockDim.x; length > 32; length /= 2) {
        if (tid < length / 2) {
            tile[tid] += tile[tid + length / 2];
        }
        __syncthreads(); // a step is done
    }
    if (tid < 32) {
        int sum = tile[tid];
        for (unsigned int distance = 16; distance > 0; distance /= 2) {
            sum += __shfl_down_sync(0xffffffff, sum, distance);
        }
        if (tid == 0) {
            g_odata[blockIdx.x] = sum;
        }
    }
    //@ stub
    //| for (unsigned int length = blockDim.x; length > 1; length /= 2) {
    //|     if (tid < length / 2) {
    //|         tile[tid] += tile[tid + length / 2];
    //|     }
    //|     __syncthreads();
    //| }
    //| if (tid == 0) {
    //|     g_odata[blockIdx.x] = tile[0];
    //| }
    //@ end
}
