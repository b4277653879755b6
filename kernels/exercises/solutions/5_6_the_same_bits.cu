// 5.6 The same bits every time
//
// The blocks sum floats, and each adds its result to the total by `atomicAdd`. Additions of floats round, and
// the blocks finish in a different order every time, so two runs on the same numbers differ in their last
// bits. Make the sum reproducible: the same bits in every order of turns. Each block has a place of its own
// in `partials`, and a second kernel, one block, runs after all the others.
//
//@ learn to make a sum of floats reproducible by fixing which number is added to which
//@ minutes 15
//@ launch sumOfBlocks<<<n/block, block>>> @input @partials @total u32:n
//@ launch sumOfPartials<<<1, block>>> @partials @total u32:blocks
//@ result total
//@ op floats
//@ sizes 0 1 2 3 33 1000 1025 4097 20003
//@ hint Where the order of additions is fixed, so are the bits. Which additions of the first kernel have a
//@      fixed order, and which do not?
//@ hint Let thread 0 of each block store its sum into `partials[blockIdx.x]`. The second kernel adds these
//@      up.
//@ hint The second kernel may have fewer threads than there are partial sums: thread t adds up the partial
//@      sums t, t + `blockDim.x`, and so on, and then a tree follows as in the first kernel.
//@ why Would the sum also have the same bits with another block size?
//@ because No. Another block size is another tree: other numbers are added to each other, and round
//@      differently. Each size is reproducible on its own. To get the same bits for all block sizes, let the
//@      tree depend on the length alone, or add without rounding.
//@ mutant atomics-in-the-second: not-reproducible
//@ - tile[tid] = sum; // of this thread
//@ + atomicAdd(g_total, sum); return;
//@ mutant still-atomics: not-reproducible
//@ - partials[blockIdx.x] = tile[0];
//@ + atomicAdd(g_total, tile[0]);
//@ - tile[tid] = sum; // of this thread
//@ + return;
//@ mutant atomics-on-a-double: not-reproducible
//@ - partials[blockIdx.x] = tile[0];
//@ + atomicAdd(&total, (double)tile[0]);
//@ - *g_total = tile[0];
//@ + *g_total = (float)total; total = 0.0;
//@ - extern "C" __global__ void sumOfBlocks(
//@ + __device__ double total; extern "C" __global__ void sumOfBlocks(
//@ mutant blocks-that-come-first: not-reproducible
//@ - partials[blockIdx.x] = tile[0];
//@ + partials[atomicAdd((unsigned int *)g_total, 1)] = tile[0];
//@ mutant as-many-as-threads: wrong-result
//@ - for (unsigned int k = tid; k < blocks; k += blockDim.x) {
//@ + for (unsigned int k = tid; k < blocks; k += blocks) {
//@ mutant no-barrier: data-race
//@ - __syncthreads(); // the sums of the threads are there
//@ + // nothing
//@ mutant thread-0-alone: passes
//@ - unsigned int k = tid; k < blocks; k += blockDim.x
//@ + unsigned int k = 0; k < blocks && tid == 0; k++
//@ mutant reads-beyond: out-of-bounds
//@ - k < blocks;
//@ + k <= blocks;
//@ mutant nothing-at-the-end: wrong-result
//@ - *g_total = tile[0];
//@ + // nothing
//@ mutant in-another-order: passes
//@ - for (unsigned int k = tid; k < blocks; k += blockDim.x) {
//@ + for (unsigned int back = tid; back < blocks; back += blockDim.x) { unsigned int k = blocks - 1 - back;

extern "C" __global__ void sumOfBlocks(const float *g_idata, float *partials, float *g_total,
                                       unsigned int size)
{
    __shared__ float tile[1024];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + tid;
    tile[tid] = i < size ? g_idata[i] : 0.0f;
    for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
        __syncthreads();
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            tile[tid] += tile[tid + half];
        }
    }
    if (tid == 0) {
        //@ begin
        partials[blockIdx.x] = tile[0];
        //@ stub
        //| atomicAdd(g_total, tile[0]);
        //@ end
    }
}

// One block, when all blocks of the kernel above have ended.
extern "C" __global__ void sumOfPartials(const float *partials, float *g_total, unsigned int blocks)
{
    //@ begin
    __shared__ float tile[1024];
    unsigned int tid = threadIdx.x;
    float sum = 0.0f;
    for (unsigned int k = tid; k < blocks; k += blockDim.x) {
        sum += partials[k];
    }
    tile[tid] = sum; // of this thread
    __syncthreads(); // the sums of the threads are there
    for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            tile[tid] += tile[tid + half];
        }
        __syncthreads();
    }
    if (tid == 0) {
        *g_total = tile[0];
    }
    //@ stub
    //@ end
}
