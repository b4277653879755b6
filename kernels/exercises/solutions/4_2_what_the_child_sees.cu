extern "C" __global__ void reduceForget(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    unsigned int *idata = g_idata + first;
    unsigned int *odata = g_odata + blockIdx.x;
    if (count <= 1) {
        if (tid == 0) {
            *odata = count == 1 ? idata[0] : 0;
        }
        return;
    }
    unsigned int half = (count + 1) / 2;
    if (tid + half < count) {
        idata[tid] += idata[tid + half];
    }
    //@ begin
    __syncthreads();
    //@ stub
    //@ end
    if (tid == 0) { // one child per block
        reduceForget<<<1, half, 0, cudaStreamFireAndForget>>>(idata, odata, half);
    }
}
