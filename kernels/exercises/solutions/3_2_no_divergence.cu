extern "C" __global__ void reduceFours(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    unsigned int *idata = g_idata + first;
    for (unsigned int stride = 1; stride < count; stride *= 4) {
        //@ begin
        unsigned int index = 4 * stride * tid;
        for (unsigned int k = index + stride; k < count && k < index + 4 * stride; k += stride) {
            idata[index] += idata[k];
        }
        //@ stub
        //| if (tid % (4 * stride) == 0) {
        //|     for (unsigned int k = tid + stride; k < count && k < tid + 4 * stride; k += stride) {
        //|         idata[tid] += idata[k];
        //|     }
        //| }
        //@ end
        __syncthreads();
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = count > 0 ? idata[0] : 0;
    }
}
