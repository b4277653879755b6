extern "C" __global__ void reduceInterleaved(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    unsigned int *idata = g_idata + first;
    //@ begin
    unsigned int sum = tid < (count + 1) / 2 ? idata[tid] : 0;
    for (unsigned int length = count; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            sum += idata[tid + half];
            idata[tid] = sum;
        }
        __syncthreads();
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = sum;
    }
    //@ stub
    //| for (unsigned int length = count; length > 1; length = (length + 1) / 2) {
    //|     unsigned int half = (length + 1) / 2;
    //|     if (tid + half < length) {
    //|         idata[tid] += idata[tid + half];
    //|     }
    //|     __syncthreads();
    //| }
    //| if (tid == 0) {
    //|     g_odata[blockIdx.x] = count > 0 ? idata[0] : 0;
    //| }
    //@ end
}
