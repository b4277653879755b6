// Exercise 6.1: All the partial sums
//
// The first launch leaves one partial sum per block, and the second has one block, which adds them up. If
// there are more partial sums than that block has threads, some are lost. Make the second kernel right for
// any number of them.
//
// The host launches `reduceTile(input, partials, n)` with as many blocks as give each of the `n` numbers a
// thread.
// The host launches `reducePartials(partials, out, blocks)` with one block.
//
// You learn how one block combines more values than it has threads. About 10 minutes.
//
// Check it:  cargo run --example exercise -- 6.1
// A hint:    cargo run --example exercise -- hint 6.1

// The block's sum of `mine`, over all its threads; thread 0 has it.
static __device__ unsigned int blockSum(unsigned int mine)
{
    __shared__ unsigned int tile[1024];
    unsigned int tid = threadIdx.x;
    tile[tid] = mine;
    __syncthreads(); // every thread has its sum
    for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            tile[tid] += tile[tid + half];
        }
        __syncthreads();
    }
    return tile[0];
}

extern "C" __global__ void reduceTile(const unsigned int *g_idata, unsigned int *partials, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int sum = blockSum(i < size ? g_idata[i] : 0);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum;
    }
}

extern "C" __global__ void reducePartials(const unsigned int *partials, unsigned int *g_odata,
                                          unsigned int count)
{
    unsigned int tid = threadIdx.x;
    unsigned int sum = tid < count ? partials[tid] : 0;
    sum = blockSum(sum);
    if (tid == 0) {
        *g_odata = sum;
    }
}
