extern "C" __global__ void sumShares(const unsigned int *g_idata, unsigned int *total, unsigned int size)
{
    unsigned int gpu = blockIdx.x, gpus = gridDim.x;
    //@ begin
    unsigned int each = (size + gpus - 1) / gpus;
    each = (each + 3) / 4 * 4;
    unsigned int begin = min(gpu * each, size);
    unsigned int end = min((gpu + 1) * each, size);
    //@ stub
    //| unsigned int each = size / gpus;
    //| unsigned int begin = gpu * each;
    //| unsigned int end = begin + each;
    //@ end

    // This GPU's share: 16 bytes at a time, then what is left.
    unsigned int sum = 0, vectors = (end - begin) / 4;
    for (unsigned int i = threadIdx.x; i < vectors; i += blockDim.x) {
        uint4 v = ((const uint4 *)(g_idata + begin))[i];
        sum += v.x + v.y + v.z + v.w;
    }
    if (threadIdx.x < (end - begin) % 4) {
        sum += g_idata[begin + vectors * 4 + threadIdx.x];
    }
    atomicAdd(total, sum);
}
