// 5.4 The last warp
//
// When 32 sums are left, one warp does all the work, and all others wait at five more barriers for nothing.
// The lanes of a warp can do without memory and barriers: `__shfl_down_sync(0xffffffff, sum, 16)` gives lane
// t the `sum` of lane t + 16, straight from that lane's register. The first argument says which lanes take
// part: all 32, and all of them must call it. (A lane that would read beyond lane 31 gets back its own
// value.) Stop the tree at 32 and let the first warp finish by shuffles. Blocks here have 64 threads or more,
// a power of two.
//
//@ learn how the lanes of a warp exchange registers, without memory and without barriers
//@ minutes 20
//@ launch reduceWarp<<<n/block, block>>> @input @partials u32:n
//@ blocks 64 256 1024
//@ goal barriers <= 32 n=256 block=256
//@ hint The tree ends at `length > 32`. Then lane t of the first warp takes `tile[t]` into a register.
//@ hint `sum += __shfl_down_sync(0xffffffff, sum, 16)` adds the sum of lane t + 16 to that of lane t. Which
//@      distances follow?
//@ hint The mask names the lanes that take part. All 32 of them must reach the shuffle, even those whose
//@      result is not used: branch on `tid < 32`, not on fewer.
//@ why After the first shuffle only lanes 0 to 15 hold sums that matter. What do the others add, and why is
//@      that harmless?
//@ because They add the value of a lane above them, or their own once more, and hold no meaningful sum from
//@      then on. But nobody reads them again: in the next shuffle lanes 0 to 7 read lanes 8 to 15, then lanes
//@      0 to 3 read lanes 4 to 7, and so on.
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
//@ mutant stops-at-64: wrong-result
//@ - length > 32;
//@ + length > 64;
//@ mutant a-tile-of-512: out-of-bounds
//@ - tile[1024]
//@ + tile[512]
//@ mutant as-before: goal
//@ - length > 32;
//@ + length > 32 || (length > 1 && (__syncthreads(), false));
//@ mutant the-last-32-by-thread-0: one-thread
//@ - unsigned int sum = tile[tid];
//@ + unsigned int sum = 0; for (unsigned int k = 0; tid == 0 && k < 32; k++) sum += tile[k];
//@ - sum += __shfl_down_sync(0xffffffff, sum, distance);
//@ + __syncwarp();
//@ mutant thread-0-alone: one-thread
//@ = extern "C" __global__ void reduceWarp(const unsigned int *g_idata, unsigned int *g_odata,
//@ =                                       unsigned int size)
//@ = {
//@ =     if (threadIdx.x == 0) {
//@ =         unsigned int first = blockIdx.x * blockDim.x;
//@ =         unsigned int sum = 0;
//@ =         for (unsigned int i = first; i < size && i < first + blockDim.x; i++) {
//@ =             sum += g_idata[i];
//@ =         }
//@ =         g_odata[blockIdx.x] = sum;
//@ =     }
//@ = }
//@ mutant every-number-an-atomic: atomics
//@ = extern "C" __global__ void reduceWarp(const unsigned int *g_idata, unsigned int *g_odata,
//@ =                                       unsigned int size)
//@ = {
//@ =     __shared__ unsigned int sum;
//@ =     unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
//@ =     if (threadIdx.x == 0) {
//@ =         sum = 0;
//@ =     }
//@ =     __syncthreads();
//@ =     if (i < size) {
//@ =         atomicAdd(&sum, g_idata[i]);
//@ =     }
//@ =     __syncthreads();
//@ =     if (threadIdx.x == 0) {
//@ =         g_odata[blockIdx.x] = sum;
//@ =     }
//@ = }
//@ mutant by-xor: passes
//@ - __shfl_down_sync(0xffffffff, sum, distance)
//@ + __shfl_xor_sync(0xffffffff, sum, distance)
//@ mutant warps-first: passes
//@ = extern "C" __global__ void reduceWarp(const unsigned int *g_idata, unsigned int *g_odata,
//@ =                                       unsigned int size)
//@ = {
//@ =     __shared__ unsigned int tile[32];
//@ =     unsigned int tid = threadIdx.x;
//@ =     unsigned int i = blockIdx.x * blockDim.x + tid;
//@ =     unsigned int sum = i < size ? g_idata[i] : 0;
//@ =     for (unsigned int distance = 16; distance > 0; distance /= 2) {
//@ =         sum += __shfl_down_sync(0xffffffff, sum, distance);
//@ =     }
//@ =     if (tid % 32 == 0) {
//@ =         tile[tid / 32] = sum;
//@ =     }
//@ =     __syncthreads();
//@ =     if (tid < 32) {
//@ =         sum = tid < blockDim.x / 32 ? tile[tid] : 0;
//@ =         for (unsigned int distance = 16; distance > 0; distance /= 2) {
//@ =             sum += __shfl_down_sync(0xffffffff, sum, distance);
//@ =         }
//@ =         if (tid == 0) {
//@ =             g_odata[blockIdx.x] = sum;
//@ =         }
//@ =     }
//@ = }

extern "C" __global__ void reduceWarp(const unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    __shared__ unsigned int tile[1024];
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
        unsigned int sum = tile[tid];
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
