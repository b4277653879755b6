// Exercise 5.6: The same bits every time
//
// The blocks sum floats, and each adds its result to the total by `atomicAdd`. Additions of floats round, and
// the blocks finish in a different order every time, so two runs on the same numbers differ in their last
// bits. Make the sum reproducible: the same bits in every order of turns. Each block has a place of its own
// in `partials`, and a second kernel, one block, runs after all the others.
//
// The host launches `sumOfBlocks(input, partials, total, n)` with as many blocks as give each of the `n`
// numbers a thread.
// The host launches `sumOfPartials(partials, total, blocks)` with one block.
// `total` is 0 at the start, and holds the result at the end.
//
// You learn to make a sum of floats reproducible by fixing which number is added to which. About 15
// minutes.
//
// Check it:  cargo run --example exercise -- 5.6
// A hint:    cargo run --example exercise -- hint 5.6

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
        atomicAdd(g_total, tile[0]);
    }
}

// One block, when all blocks of the kernel above have ended.
extern "C" __global__ void sumOfPartials(const float *partials, float *g_total, unsigned int blocks)
{
}
