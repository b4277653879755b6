extern "C" __global__ void reduceByWarps(const unsigned int *g_idata, unsigned int *g_odata,
                                         unsigned int size)
{
    __shared__ unsigned int ofWarp[32];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + tid;
    //@ begin
    unsigned int sum = i < size ? g_idata[i] : 0;
    //@ stub
    //| if (i >= size) {
    //|     return;
    //| }
    //| unsigned int sum = g_idata[i];
    //@ end
    for (unsigned int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    }
    if (tid % 32 == 0) {
        ofWarp[tid / 32] = sum;
    } // a sum for each warp
    __syncthreads(); // all sums are there
    if (tid == 0) {
        unsigned int all = 0;
        for (unsigned int warp = 0; warp < blockDim.x / 32; warp++) {
            all += ofWarp[warp];
        }
        g_odata[blockIdx.x] = all;
    }
}
