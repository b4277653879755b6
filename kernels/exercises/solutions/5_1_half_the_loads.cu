extern "C" __global__ void reduceShared(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    //@ begin
    __shared__ unsigned int tile[1024];
    if (tid < count) {
        tile[tid] = g_idata[first + tid];
    }
    __syncthreads(); // the tile is there
    unsigned int *data = tile;
    //@ stub
    //| unsigned int *data = g_idata + first;
    //@ end
    for (unsigned int length = count; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            data[tid] += data[tid + half];
        }
        __syncthreads(); // a step is done
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = count > 0 ? data[0] : 0;
    }
}
