extern "C" __global__ void reduceHalves(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    //@ begin
    for (unsigned int length = size; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            g_data[tid] += g_data[tid + half];
        }
        __syncthreads();
    }
    if (tid == 0) {
        *g_odata = size > 0 ? g_data[0] : 0;
    }
    //@ stub
    //| for (unsigned int half = size / 2; half > 0; half /= 2) {
    //|     if (tid < half) {
    //|         g_data[tid] += g_data[tid + half];
    //|     }
    //|     __syncthreads();
    //| }
    //| if (tid == 0) {
    //|     *g_odata = g_data[0];
    //| }
    //@ end
}
