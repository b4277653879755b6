extern "C" __global__ void sumOfSquares(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    if (tid < size) {
        g_data[tid] *= g_data[tid];
    }
    for (unsigned int stride = 1; stride < size; stride *= 2) {
        //@ begin
        __syncthreads(); // what came before is done
        //@ stub
        //@ end
        if (tid % (2 * stride) == 0 && tid + stride < size) {
            g_data[tid] += g_data[tid + stride];
        }
    }
    if (tid == 0) {
        *g_odata = size > 0 ? g_data[0] : 0;
    }
}
