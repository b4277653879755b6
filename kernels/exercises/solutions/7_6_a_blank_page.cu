extern "C" __global__ void fastestSum(const unsigned int *g_idata, unsigned int *total, unsigned int size)
{
    //@ begin
    // Thread i of the grid owns the vectors i, i + threads, … and at most one of the last numbers.
    const uint4 *vectors = (const uint4 *)g_idata;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int threads = gridDim.x * blockDim.x;
    unsigned int rest = size / 4 * 4 + i;
    unsigned int sum = rest < size ? g_idata[rest] : 0;
    for (unsigned int k = i; k < size / 4; k += threads) {
        uint4 v = vectors[k];
        sum += v.x + v.y + v.z + v.w;
    }
    // One instruction adds the sums of a warp. One atomic addition per block, on global memory.
    __shared__ unsigned int ofWarp[32];
    sum = __reduce_add_sync(0xffffffff, sum);
    if (threadIdx.x % 32 == 0) {
        ofWarp[threadIdx.x / 32] = sum;
    }
    __syncthreads(); // all sums are there
    if (threadIdx.x < 32) {
        sum = __reduce_add_sync(0xffffffff, threadIdx.x < blockDim.x / 32 ? ofWarp[threadIdx.x] : 0);
        if (threadIdx.x == 0) {
            atomicAdd(total, sum);
        }
    }
    //@ stub
    //| // A blank page.
    //@ end
}
