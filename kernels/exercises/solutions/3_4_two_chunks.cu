extern "C" __global__ void reduceTwo(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    //@ begin
    unsigned int first = 2 * blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(2 * blockDim.x, size - first) : 0;
    unsigned int *idata = g_idata + first;
    if (tid + blockDim.x < count) {
        unsigned int sum = idata[tid] + idata[tid + blockDim.x];
        idata[tid] = sum;
    }
    __syncthreads(); // before the tree
    for (unsigned int length = min(count, blockDim.x); length > 1; length = (length + 1) / 2) {
    //@ stub
    //| unsigned int first = blockIdx.x * blockDim.x;
    //| unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    //| unsigned int *idata = g_idata + first;
    //| for (unsigned int length = count; length > 1; length = (length + 1) / 2) {
    //@ end
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            idata[tid] += idata[tid + half];
        }
        __syncthreads();
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = count > 0 ? idata[0] : 0;
    }
}
