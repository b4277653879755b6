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
