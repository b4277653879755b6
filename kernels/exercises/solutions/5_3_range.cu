const unsigned int MOST = 1024; // threads per block

// The words of the tile that belong to a thread.
static __device__ unsigned int smallest(unsigned int tid)
{
    //@ begin
    return tid;
    //@ stub
    //| return 2 * tid;
    //@ end
}

static __device__ unsigned int largest(unsigned int tid)
{
    //@ begin
    return MOST + tid;
    //@ stub
    //| return 2 * tid + 1;
    //@ end
}

extern "C" __global__ void rangeOfBlock(const int *g_idata, int *g_odata, unsigned int size)
{
    __shared__ int tile[2 * MOST];
    unsigned int tid = threadIdx.x;
    if (tid < size) {
        tile[smallest(tid)] = g_idata[tid];
        tile[largest(tid)] = g_idata[tid];
    }
    __syncthreads(); // all pairs are there
    for (unsigned int length = size; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            tile[smallest(tid)] = min(tile[smallest(tid)], tile[smallest(tid + half)]);
            tile[largest(tid)] = max(tile[largest(tid)], tile[largest(tid + half)]);
        }
        __syncthreads();
    }
    if (tid == 0) {
        // Unsigned: the difference of two ints may not fit one.
        *g_odata = size > 0 ? (unsigned int)tile[largest(0)] - (unsigned int)tile[smallest(0)] : 0;
    }
}
