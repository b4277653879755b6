// 7.2 Sixteen bytes at a time
//
// A thread may load four numbers with one instruction, as a `uint4`, from an address that is a multiple of
// 16. Fewer requests then move the same bytes. Up to three numbers at the end do not fill a `uint4`: each of
// them must still be added once.
//
//@ learn how to load 16 bytes at a time, and what to do with the remainder
//@ minutes 20
//@ launch reduceVector<<<4, block>>> @input @total u32:n
//@ result total
//@ goal global_load_requests <= 36 n=4096 block=256
//@ hint `const uint4 *vectors = (const uint4 *)g_idata;` has `size / 4` whole elements, with members x, y, z
//@      and w.
//@ hint The loop over the vectors is like the one over the numbers: it starts at i and advances by the
//@      threads of the grid.
//@ hint From `size / 4 * 4` on there are at most three numbers. Threads 0, 1 and 2 of the whole grid can take
//@      them.
//@ why Why must the array begin at a multiple of 16 bytes, and what if it does not?
//@ because A load of 16 bytes at any other address is an error: the kernel is stopped. The host's allocations
//@      begin at multiples of 256 bytes, so a whole array is safe. A part of one, `g_idata + 1`, is not: its
//@      first numbers would have to be added one by one, up to the next multiple of 16.
//@ mutant no-rest: wrong-result
//@ - mine += rest < size ? g_idata[rest] : 0;
//@ + // nothing
//@ mutant every-block-takes-the-rest: wrong-result
//@ - size / 4 * 4 + i;
//@ + size / 4 * 4 + threadIdx.x;
//@ mutant rounds-up: out-of-bounds
//@ - k < size / 4;
//@ + k < (size + 3) / 4;
//@ mutant not-aligned: misaligned
//@ - (const uint4 *)g_idata
//@ + (const uint4 *)(g_idata + 1)
//@ mutant one-by-one: goal
//@ - mine += v.x + v.y + v.z + v.w;
//@ + mine += v.x + v.y + v.z + ((volatile const unsigned int *)g_idata)[4 * k + 3];
//@ mutant thread-0-alone: one-thread
//@ - unsigned int k = i; k < size / 4; k += threads
//@ + unsigned int k = blockIdx.x; threadIdx.x == 0 && k < size / 4; k += gridDim.x
//@ mutant every-number-an-atomic: atomics
//@ - mine += v.x + v.y + v.z + v.w;
//@ + atomicAdd(total, v.x + v.y + v.z + v.w);
//@ mutant three-of-four: wrong-result
//@ - v.x + v.y + v.z + v.w
//@ + v.x + v.y + v.z

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

extern "C" __global__ void reduceVector(const unsigned int *g_idata, unsigned int *total, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int threads = gridDim.x * blockDim.x;
    unsigned int mine = 0;
    //@ begin
    const uint4 *vectors = (const uint4 *)g_idata;
    for (unsigned int k = i; k < size / 4; k += threads) {
        uint4 v = vectors[k];
        mine += v.x + v.y + v.z + v.w;
    }
    unsigned int rest = size / 4 * 4 + i;
    mine += rest < size ? g_idata[rest] : 0;
    //@ stub
    //| for (unsigned int k = i; k < size; k += threads) {
    //|     mine += g_idata[k];
    //| }
    //@ end
    unsigned int sum = blockSum(mine);
    if (threadIdx.x == 0) {
        atomicAdd(total, sum);
    }
}
