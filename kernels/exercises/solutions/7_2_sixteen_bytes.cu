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
