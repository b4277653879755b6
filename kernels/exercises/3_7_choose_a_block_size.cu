// Exercise 3.7: Choose a block size
//
// You are to launch chapter 3's `reduceInterleaved`, below, for 2^24 numbers on an H200. A multiprocessor there holds
// up to 2,048 threads, in up to 32 blocks. First reason: which is the smallest block size with which blocks can fill a
// multiprocessor? Then look at the record, whose times the check shows: which size is the fastest, and which is the
// largest that takes at most 15 % longer? (Larger blocks leave fewer partial sums for the host.) Write your numbers
// below, and change nothing else.
//
// You learn to choose a block size by the limits of the device first, and by a record then. About 10
// minutes.
//
// Check it:  cargo run --example exercise -- 3.7
// A hint:    cargo run --example exercise -- hint 3.7

// The answer: the smallest that fills ?;
// The answer: the fastest ?;
// The answer: the largest within 15 % ?;

extern "C" __global__ void reduceInterleaved(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    unsigned int *idata = g_idata + first;
    for (unsigned int length = count; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            idata[tid] += idata[tid + half];
        }
        __syncthreads();
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = count > 0 ? idata[0] : 0;
    }
}
