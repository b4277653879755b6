extern "C" __global__ void reduceQuarters(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (size <= 1) {
        if (i == 0) {
            *g_odata = size == 1 ? g_data[0] : 0;
        }
        return;
    }
    //@ begin
    unsigned int part = (size + 3) / 4;
    if (i < part) {
        unsigned int sum = 0;
        for (unsigned int k = i; k < size; k += part) {
            sum += g_data[k];
        }
        g_data[i] = sum;
    }
    //@ stub
    //| unsigned int part = (size + 1) / 2;
    //| if (i + part < size) {
    //|     g_data[i] += g_data[i + part];
    //| }
    //@ end
    if (i == 0) {
        unsigned int blocks = (part + blockDim.x - 1) / blockDim.x;
        reduceQuarters<<<blocks, blockDim.x, 0, cudaStreamTailLaunch>>>(g_data, g_odata, part);
    }
}
