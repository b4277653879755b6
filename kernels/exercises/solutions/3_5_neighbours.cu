extern "C" __global__ void reduceEight(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = 8 * blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(8 * blockDim.x, size - first) : 0;
    unsigned int *idata = g_idata + first;
    unsigned int sum = 0;
    for (unsigned int k = 0; k < 8; k++) {
        //@ begin
        unsigned int i = tid + k * blockDim.x;
        //@ stub
        //| unsigned int i = 8 * tid + k;
        //@ end
        sum += i < count ? idata[i] : 0;
    }
    __syncthreads(); // everything has been read
    if (tid < count) {
        idata[tid] = sum;
    }
    __syncthreads(); // every thread has its sum
    for (unsigned int length = min(count, blockDim.x); length > 1; length = (length + 1) / 2) {
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
