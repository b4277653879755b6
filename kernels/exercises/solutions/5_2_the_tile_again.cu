// 5.2 The tile, again and again
//
// Four blocks sum the whole array: each passes tile after tile through the same shared memory, and its last
// thread adds the sum of each tile to the block's result. The kernel often gives the right sum, but a barrier
// is missing. Find the place where one round of the loop can disturb another, and put the barrier there.
//
//@ learn why a tile needs a barrier before it is filled again
//@ minutes 10
//@ race
//@ launch reduceTiles<<<4, block>>> @input @partials u32:n
//@ hint What is read from the tile last in a round, and what is written to it first in the next?
//@ hint Which thread reads `tile[0]` at the end of a round, and which thread writes it? Does either wait?
//@ hint The number of rounds depends on the block alone, so all of its threads reach a barrier in the loop.
//@ why If thread 0 took the sum in place of the last thread, would the barrier still be needed?
//@ because No. Thread 0 is also the one that fills `tile[0]` for the next round, and a thread's own accesses
//@      are in order anyway. The other threads fill elements that the tree is done with: its last barrier
//@      lies in between. But whoever edits the kernel next will easily miss that.
//@ mutant no-barrier-at-the-end: data-race
//@ - __syncthreads(); // the sum has been taken
//@ + // nothing
//@ mutant no-barrier-after-the-loads: data-race
//@ - __syncthreads(); // the tile is there
//@ + // nothing
//@ mutant only-the-last-thread-waits: barrier-divergence
//@ - __syncthreads(); // the sum has been taken
//@ + // nothing
//@ - g_odata[blockIdx.x] += tile[0];
//@ + g_odata[blockIdx.x] += tile[0]; __syncthreads();
//@ mutant only-one-warp: data-race
//@ - __syncthreads(); // the sum has been taken
//@ + __syncwarp();
//@ mutant a-fence: data-race
//@ - __syncthreads(); // the sum has been taken
//@ + __threadfence_block();
//@ mutant no-identity: out-of-bounds
//@ - first + tid < size ? g_idata[first + tid] : 0
//@ + g_idata[first + tid]
//@ mutant overlapping-tiles: wrong-result
//@ - first += gridDim.x * blockDim.x
//@ + first += blockDim.x
//@ mutant thread-0-alone: one-thread
//@ = extern "C" __global__ void reduceTiles(const unsigned int *g_idata, unsigned int *g_odata,
//@ =                                        unsigned int size)
//@ = {
//@ =     if (threadIdx.x == 0) {
//@ =         unsigned int sum = 0;
//@ =         for (unsigned int i = blockIdx.x; i < size; i += gridDim.x) {
//@ =             sum += g_idata[i];
//@ =         }
//@ =         g_odata[blockIdx.x] = sum;
//@ =     }
//@ = }
//@ mutant every-number-an-atomic: atomics
//@ = extern "C" __global__ void reduceTiles(const unsigned int *g_idata, unsigned int *g_odata,
//@ =                                        unsigned int size)
//@ = {
//@ =     __shared__ unsigned int sum;
//@ =     if (threadIdx.x == 0) {
//@ =         sum = 0;
//@ =     }
//@ =     __syncthreads();
//@ =     for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x)
//@ =     {
//@ =         atomicAdd(&sum, g_idata[i]);
//@ =     }
//@ =     __syncthreads();
//@ =     if (threadIdx.x == 0) {
//@ =         g_odata[blockIdx.x] = sum;
//@ =     }
//@ = }
//@ mutant by-thread-0: passes
//@ = extern "C" __global__ void reduceTiles(const unsigned int *g_idata, unsigned int *g_odata,
//@ =                                        unsigned int size)
//@ = {
//@ =     __shared__ unsigned int tile[1024];
//@ =     unsigned int tid = threadIdx.x;
//@ =     unsigned int sum = 0;
//@ =     for (unsigned int first = blockIdx.x * blockDim.x; first < size; first += gridDim.x * blockDim.x) {
//@ =         tile[tid] = first + tid < size ? g_idata[first + tid] : 0;
//@ =         __syncthreads();
//@ =         for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
//@ =             unsigned int half = (length + 1) / 2;
//@ =             if (tid + half < length) {
//@ =                 tile[tid] += tile[tid + half];
//@ =             }
//@ =             __syncthreads();
//@ =         }
//@ =         if (tid == 0) {
//@ =             sum += tile[0];
//@ =         }
//@ =     }
//@ =     if (tid == 0) {
//@ =         g_odata[blockIdx.x] = sum;
//@ =     }
//@ = }
//@ mutant at-the-top-of-the-body: passes
//@ - __syncthreads(); // the sum has been taken
//@ + // nothing
//@ - tile[tid] = first + tid < size
//@ + __syncthreads(); tile[tid] = first + tid < size

extern "C" __global__ void reduceTiles(const unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    __shared__ unsigned int tile[1024];
    unsigned int tid = threadIdx.x;
    if (tid == blockDim.x - 1) {
        g_odata[blockIdx.x] = 0;
    }
    for (unsigned int first = blockIdx.x * blockDim.x; first < size; first += gridDim.x * blockDim.x) {
        tile[tid] = first + tid < size ? g_idata[first + tid] : 0;
        __syncthreads(); // the tile is there
        for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
            unsigned int half = (length + 1) / 2;
            if (tid + half < length) {
                tile[tid] += tile[tid + half];
            }
            __syncthreads();
        }
        if (tid == blockDim.x - 1) {
            g_odata[blockIdx.x] += tile[0];
        }
        //@ begin
        __syncthreads(); // the sum has been taken
        //@ stub
        //@ end
    }
}
