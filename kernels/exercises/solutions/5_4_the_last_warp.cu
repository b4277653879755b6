extern "C" __global__ void reduceWarp(const unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    __shared__ unsigned int tile[1024];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + tid;
    tile[tid] = i < size ? g_idata[i] : 0;
    __syncthreads(); // the tile is there
    //@ begin
    for (unsigned int length = blockDim.x; length > 32; length /= 2) {
        if (tid < length / 2) {
            tile[tid] += tile[tid + length / 2];
        }
        __syncthreads(); // a step is done
    }
    if (tid < 32) {
        unsigned int sum = tile[tid];
        for (unsigned int distance = 16; distance > 0; distance /= 2) {
            sum += __shfl_down_sync(0xffffffff, sum, distance);
        }
        if (tid == 0) {
            g_odata[blockIdx.x] = sum;
        }
    }
    //@ stub
    //| for (unsigned int length = blockDim.x; length > 1; length /= 2) {
    //|     if (tid < length / 2) {
    //|         tile[tid] += tile[tid + length / 2];
    //|     }
    //|     __syncthreads();
    //| }
    //| if (tid == 0) {
    //|     g_odata[blockIdx.x] = tile[0];
    //| }
    //@ end
}
