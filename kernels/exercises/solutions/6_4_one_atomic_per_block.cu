// The sum of `mine` over all threads of the block.
static __device__ unsigned int blockSum(unsigned int mine)
{
    __shared__ unsigned int tile[1024];
    unsigned int tid = threadIdx.x;
    tile[tid] = mine;
    __syncthreads(); // the tile is there
    for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            tile[tid] += tile[tid + half];
        }
        __syncthreads();
    }
    return tile[0];
}

extern "C" __global__ void reduceAtomic(const unsigned int *g_idata, unsigned int *total, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    //@ begin
    unsigned int sum = blockSum(i < size ? g_idata[i] : 0);
    if (threadIdx.x == 0) {
        atomicAdd(total, sum);
    }
    //@ stub
    //| if (i < size) {
    //|     atomicAdd(total, g_idata[i]);
    //| }
    //@ end
}
