// 7.1 A fixed grid
//
// A grid that grows with the array has many short-lived threads. Here there are 16 blocks, however long the
// array is. Each thread adds up many numbers in a register before the block's tree begins: its own, the one
// that lies a whole grid further on, and so on.
//
//@ learn to write a grid-stride loop
//@ minutes 10
//@ launch reduceStride<<<16, block>>> @input @total u32:n
//@ result total
//@ goal global_load_sectors <= 16000 n=100003 block=256
//@ hint The grid has `gridDim.x * blockDim.x` threads. Which elements does thread i own, if neighbours are to
//@      load neighbours?
//@ hint Write a loop that starts at i, advances by the number of threads in the grid, and ends at `size`.
//@ hint Call `blockSum` once, after the loop: all threads reach it, whatever they have found.
//@ why Thread i could also take a run of adjacent numbers, from `i * size / threads` on. What would that
//@      cost?
//@ because The lanes of a warp would be a whole run apart. In each load they would touch 32 sectors and use
//@      four bytes of each. With a stride of the grid, neighbouring lanes load neighbouring numbers: four
//@      sectors per load.
//@ mutant a-block-further: wrong-result
//@ - k += gridDim.x * blockDim.x
//@ + k += blockDim.x
//@ mutant off-by-one: out-of-bounds
//@ - k < size;
//@ + k <= size;
//@ mutant plain-addition: data-race
//@ - atomicAdd(total, sum);
//@ + *total += sum;
//@ mutant every-number-an-atomic: atomics
//@ - mine += g_idata[k];
//@ + atomicAdd(total, g_idata[k]);
//@ mutant thread-0-alone: one-thread
//@ - unsigned int k = i; k < size; k += gridDim.x * blockDim.x
//@ + unsigned int k = blockIdx.x; threadIdx.x == 0 && k < size; k += gridDim.x
//@ mutant one-block-alone: one-thread
//@ - unsigned int k = i; k < size; k += gridDim.x * blockDim.x
//@ + unsigned int k = i; blockIdx.x == 0 && k < size; k += blockDim.x
//@ mutant a-run-per-thread: goal
//@ - unsigned int k = i; k < size; k += gridDim.x * blockDim.x
//@ + unsigned int threads = gridDim.x * blockDim.x, run = (size + threads - 1) / threads, k = i * run;
//@ + k < min(size, (i + 1) * run); k++
//@ mutant a-run-per-block: passes
//@ - unsigned int k = i; k < size; k += gridDim.x * blockDim.x
//@ + unsigned int run = (size + gridDim.x - 1) / gridDim.x, k = blockIdx.x * run + threadIdx.x;
//@ + k < min(size, (blockIdx.x + 1) * run); k += blockDim.x
//@ mutant skips-the-first: wrong-result
//@ - unsigned int k = i; k
//@ + unsigned int k = i + 1; k

// The sum of `mine` over all threads of the block.
static __device__ unsigned int blockSum(unsigned int mine)
{
    __shared__ unsigned int tile[1024];
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

extern "C" __global__ void reduceStride(const unsigned int *g_idata, unsigned int *total, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int mine = 0;
    //@ begin
    for (unsigned int k = i; k < size; k += gridDim.x * blockDim.x) {
        mine += g_idata[k];
    }
    //@ stub
    //| if (i < size) {
    //|     mine = g_idata[i];
    //| }
    //@ end
    unsigned int sum = blockSum(mine);
    if (threadIdx.x == 0) {
        atomicAdd(total, sum);
    }
}
