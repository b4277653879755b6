//@ begin
// The answer: line 22;
//@ stub
//| // The answer: line ?;
//@ end

extern "C" __global__ void reducePieces(const unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    __shared__ unsigned int tile[1024];
    unsigned int tid = threadIdx.x;
    unsigned int first = (blockIdx.x * blockDim.x + tid) * 64;
    unsigned int sum = 0;
    for (unsigned int k = 0; k < 64; k++) {
        unsigned int number = first + k < size ? g_idata[first + k] : 0;
        //@ this
        sum += number;
    }
    tile[tid] = sum;
    for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
        __syncthreads();
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            tile[tid] += tile[tid + half];
        }
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = tile[0];
    }
}
