// 7.1 A fixed grid
//
// A grid that grows with the array has many short-lived threads. Here there are 16 blocks, however long the
// array. Each thread adds up many numbers in a register before the block's tree begins: its own, the one a
// whole grid further on, the next one after that, and so on.
//
//@ learn to write a grid-stride loop
//@ minutes 10
//@ launch reduceStride(input, total, n) grid=16
//@ result total
//@ goal atomics <= 16 n=100003 block=256
//@ hint The grid has `gridDim.x * blockDim.x` threads. Which elements does thread i own, if neighbours are to
//@      load neighbours?
//@ hint Write a loop that starts at i, advances by the number of threads in the grid, and ends at `size`.
//@ hint Call `blockSum` once, after the loop: all threads reach it, whatever they have found.
//@ mutant a-block-further: wrong-result
//@ - k += gridDim.x * blockDim.x
//@ + k += blockDim.x
//@ mutant off-by-one: out-of-bounds
//@ - k < size;
//@ + k <= size;
//@ mutant plain-addition: data-race
//@ - atomicAdd(total, sum);
//@ + *total += sum;
//@ mutant every-number-an-atomic: goal
//@ - mine += g_idata[k];
//@ + atomicAdd(total, g_idata[k]);
//@ mutant skips-the-first: wrong-result
//@ - unsigned int k = i; k
//@ + unsigned int k = i + 1; k

// The sum of `mine` over all threads of the block.
static __device__ int blockSum(int mine)
{
    __shared__ int tile[1024];
    unsigned int tid = threadIdx.x;
    tile[tid] = mine;
    __syncthreads();
    for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            tile[tid] += tile[tid + half];
        }
        __syncthreads();
    }
    return tile[0];
}

extern "C" __global__ void reduceStride(const int *g_idata, int *total, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mine = 0;
    //@ begin
    for (unsigned int k = i; k < size; k += gridDim.x * blockDim.x) {
        mine += g_idata[k];
    }
    //@ stub
    //| if (i < size) {
    //|     mine = g_idata[i];
    //| }
    //@ end
    int sum = blockSum(mine);
    if (threadIdx.x == 0) {
        atomicAdd(total, sum);
    }
}
