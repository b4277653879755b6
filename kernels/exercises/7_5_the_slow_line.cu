// Exercise 7.5: The slow line
//
// In this kernel each thread adds up 64 adjacent numbers, and then the block makes its tree. It is slow. For
// each line `ncu` has counted how many samples found a warp about to execute it, what most of those warps
// waited for, how many requests to global memory the line made, and how many sectors each of them asked for.
// The check shows these counts. Which line makes the warps wait? Write its number below; change nothing else.
//
// You learn to tell the line at which warps wait from the line that makes them wait. About 10 minutes.
//
// Check it:  cargo run --example exercise -- 7.5
// A hint:    cargo run --example exercise -- hint 7.5

// The answer: line ?;

extern "C" __global__ void reducePieces(const unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    __shared__ unsigned int tile[1024];
    unsigned int tid = threadIdx.x;
    unsigned int first = (blockIdx.x * blockDim.x + tid) * 64;
    unsigned int sum = 0;
    for (unsigned int k = 0; k < 64; k++) {
        unsigned int number = first + k < size ? g_idata[first + k] : 0;
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
