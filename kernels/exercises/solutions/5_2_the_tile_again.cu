// 5.2 The tile, again and again
//
// Four blocks sum the whole array: each passes tile after tile through the same shared memory. The kernel
// often gives the right sum, but a barrier is missing: one thread may fill the tile for the next round before
// another has taken the sum of this one.
//
//@ learn why a tile needs a barrier before it is filled again
//@ minutes 10
//@ launch reduceTiles(input, partials, n) grid=4
//@ hint What is read from the tile last in a round, and what is written to it first in the next?
//@ hint Which thread reads `tile[0]`, and which threads don't wait for it?
//@ hint The number of rounds depends on the block alone, so all of its threads reach a barrier in the loop.
//@ mutant no-barrier-at-the-end: data-race
//@ - __syncthreads(); // the sum has been taken
//@ + // nothing
//@ mutant no-barrier-after-the-loads: data-race
//@ - __syncthreads(); // the tile is there
//@ + // nothing
//@ mutant only-thread-0-waits: barrier-divergence
//@ - sum += tile[0];
//@ + sum += tile[0]; __syncthreads();
//@ mutant no-identity: out-of-bounds
//@ - first + tid < size ? g_idata[first + tid] : 0
//@ + g_idata[first + tid]
//@ mutant overlapping-tiles: wrong-result
//@ - first += gridDim.x * blockDim.x
//@ + first += blockDim.x

extern "C" __global__ void reduceTiles(const int *g_idata, int *g_odata, unsigned int size)
{
    __shared__ int tile[1024];
    unsigned int tid = threadIdx.x;
    int sum = 0;
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
        if (tid == 0) {
            sum += tile[0];
        }
        //@ begin
        __syncthreads(); // the sum has been taken
        //@ stub
        //@ end
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = sum;
    }
}
