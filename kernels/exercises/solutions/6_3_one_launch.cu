// The sum of `mine` over all threads of the block.
static __device__ unsigned int blockSum(unsigned int mine)
{
    __shared__ unsigned int tile[1024];
    unsigned int tid = threadIdx.x;
    __syncthreads(); // the tile may still be in use
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

extern "C" __global__ void reduceOnce(const unsigned int *g_idata, unsigned int *partials,
                                      unsigned int *g_odata, unsigned int *ticket,
                                      unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + tid;
    unsigned int sum = blockSum(i < size ? g_idata[i] : 0);
    //@ begin
    __shared__ bool last;
    if (tid == 0) { // one ticket per block
        partials[blockIdx.x] = sum;
        __threadfence(); // the partial sum before the ticket
        last = atomicAdd(ticket, 1) == gridDim.x - 1;
        __threadfence(); // the ticket before the partial sums of the others
    }
    __syncthreads(); // all threads know
    if (last) {
    //@ stub
    //| if (tid == 0) {
    //|     partials[blockIdx.x] = sum;
    //| }
    //| __syncthreads();
    //| if (blockIdx.x == 0) {
    //@ end
        unsigned int all = 0;
        for (unsigned int k = tid; k < gridDim.x; k += blockDim.x) {
            all += partials[k];
        }
        all = blockSum(all);
        if (tid == 0) {
            *g_odata = all;
        }
    }
}
