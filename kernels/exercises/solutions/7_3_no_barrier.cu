extern "C" __global__ void reduceWarps(const unsigned int *g_idata, unsigned int *total, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int mine = 0;
    for (unsigned int k = i; k < size; k += gridDim.x * blockDim.x) {
        mine += g_idata[k];
    }
    //@ begin
    for (int distance = 16; distance > 0; distance /= 2) {
        mine += __shfl_down_sync(0xffffffff, mine, distance);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(total, mine);
    }
    //@ stub
    //| __shared__ unsigned int tile[1024];
    //| tile[threadIdx.x] = mine;
    //| __syncthreads();
    //| for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
    //|     unsigned int half = (length + 1) / 2;
    //|     if (threadIdx.x + half < length) {
    //|         tile[threadIdx.x] += tile[threadIdx.x + half];
    //|     }
    //|     __syncthreads();
    //| }
    //| if (threadIdx.x == 0) {
    //|     atomicAdd(total, tile[0]);
    //| }
    //@ end
}
