extern "C" __global__ void reduceLevels(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    //@ begin
    if (size <= 1) {
        if (i == 0) {
            *g_odata = size == 1 ? g_data[0] : 0;
        }
        return;
    }
    //@ stub
    //@ end
    unsigned int half = (size + 1) / 2;
    if (i + half < size) {
        g_data[i] += g_data[i + half];
    }
    if (i == 0) {
        unsigned int blocks = (half + blockDim.x - 1) / blockDim.x;
        reduceLevels<<<blocks, blockDim.x, 0, cudaStreamTailLaunch>>>(g_data, g_odata, half);
    }
}
