// 5.1 Half the loads, and fewer
//
// The tree in global memory reloads every sum that it has just stored. Load the block's numbers into shared
// memory first, each with one load, and build the tree there. Global memory is then read once and written
// once.
//
//@ learn how shared memory replaces repeated loads from global memory
//@ minutes 15
//@ launch reduceShared<<<n/block, block>>> @data @partials u32:n
//@ goal global_load_requests <= 16 n=512 block=512
//@ goal global_store_sectors <= 1 n=512 block=512
//@ hint `__shared__ unsigned int tile[1024];` is one array for the whole block. Which element does thread t
//@      load?
//@ hint Which thread reads `tile[t]` in the first step of the tree, and has thread t written it by then?
//@ hint Only the first `count` elements of the tile are ever written. May the tree read others?
//@ why The tile has 1,024 elements, whatever the block size. Why not as many as the block has threads?
//@ because The size of a static array must be known when the kernel is compiled, and the block size is known
//@      only when it is launched. 1,024 is the largest block there is. (Dynamic shared memory, whose size is
//@      an argument of the launch, is the other way.)
//@ mutant no-barrier-after-the-loads: data-race
//@ - __syncthreads(); // the tile is there
//@ + // nothing
//@ mutant no-barrier-in-the-tree: data-race
//@ - __syncthreads(); // a step is done
//@ + // nothing
//@ mutant loads-beyond-the-end: out-of-bounds
//@ - if (tid < count) {
//@ + if (true) {
//@ mutant tree-over-all-threads: uninitialized-read
//@ - length = count;
//@ + length = blockDim.x;
//@ mutant a-tile-of-512: out-of-bounds
//@ - tile[1024]
//@ + tile[512]
//@ mutant back-to-global: goal
//@ - unsigned int *data = tile;
//@ + unsigned int *data = g_idata + first;
//@ mutant thread-0-alone: one-thread
//@ = extern "C" __global__ void reduceShared(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
//@ = {
//@ =     __shared__ unsigned int tile[1024];
//@ =     unsigned int tid = threadIdx.x;
//@ =     unsigned int first = blockIdx.x * blockDim.x;
//@ =     tile[tid] = first + tid < size ? g_idata[first + tid] : 0;
//@ =     __syncthreads();
//@ =     if (tid == 0) {
//@ =         unsigned int sum = 0;
//@ =         for (unsigned int i = 0; i < blockDim.x; i++) {
//@ =             sum += tile[i];
//@ =         }
//@ =         g_odata[blockIdx.x] = sum;
//@ =     }
//@ = }
//@ mutant every-number-an-atomic: atomics
//@ = extern "C" __global__ void reduceShared(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
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
//@ mutant filled-up-with-0: passes
//@ - if (tid < count) {
//@ + tile[tid] = 0; if (tid < count) {
//@ - length = count;
//@ + length = blockDim.x;

extern "C" __global__ void reduceShared(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    //@ begin
    __shared__ unsigned int tile[1024];
    if (tid < count) {
        tile[tid] = g_idata[first + tid];
    }
    __syncthreads(); // the tile is there
    unsigned int *data = tile;
    //@ stub
    //| unsigned int *data = g_idata + first;
    //@ end
    for (unsigned int length = count; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            data[tid] += data[tid + half];
        }
        __syncthreads(); // a step is done
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = count > 0 ? data[0] : 0;
    }
}
