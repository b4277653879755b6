extern "C" __global__ void reduceTiles(const unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    __shared__ unsigned int tile[1024];
    unsigned int tid = threadIdx.x;
    if (tid == blockDim.x - 1) {
        g_odata[blockIdx.x] = 0;
    }
    for (unsigned int first = blockIdx.x * blockDim.x; first < size; first += gridDim.x * blockDim.x) {
        tile[tid] = first + tid < size ? g_idata[first + tid] : 0;
        __syncthreads(); // the tile is there
        for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
            unsigned int half = (length + 1) / 2;
            if (tid + half < length) {
                tile[tid] += tile[tid + half];
            }
            __syncthreads();
        }
        if (tid == blockDim.x - 1) {
            g_odata[blockIdx.x] += tile[0];
        }
        //@ begin
        __syncthreads(); // the sum has been taken
        //@ stub
        //@ end
    }
}
