extern "C" __global__ void reduceNested(unsigned int *g_data, unsigned int *g_total, unsigned int size)
{
    //@ begin
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (size <= 1) {
        if (i == 0 && size == 1) {
            *g_total = g_data[0];
        }
        return;
    }
    unsigned int half = (size + 1) / 2;
    if (i + half < size) {
        g_data[i] += g_data[i + half];
    }
    if (i == 0) { // one child per level
        unsigned int blocks = (half + blockDim.x - 1) / blockDim.x;
        reduceNested<<<blocks, blockDim.x, 0, cudaStreamTailLaunch>>>(g_data, g_total, half);
    }
    //@ stub
    //| unsigned int tid = threadIdx.x;
    //| unsigned int first = blockIdx.x * blockDim.x;
    //| unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    //| unsigned int *idata = g_data + first;
    //| if (count <= 1) {
    //|     if (tid == 0 && count == 1) {
    //|         atomicAdd(g_total, idata[0]);
    //|     }
    //|     return;
    //| }
    //| unsigned int half = (count + 1) / 2;
    //| if (tid + half < count) {
    //|     idata[tid] += idata[tid + half];
    //| }
    //| if (tid == 0) {
    //|     reduceNested<<<1, half, 0, cudaStreamTailLaunch>>>(idata, g_total, half);
    //| }
    //@ end
}
