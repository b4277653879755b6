// Exercise 3.4: Two numbers per thread
//
// Half of the threads do nothing in the very first step. Let each block own twice as many numbers as it has
// threads: thread t loads its own number and the one `blockDim.x` further on, adds them in a register and
// stores the sum. Then the tree begins, over as many sums as there are threads. The host already launches
// half as many blocks.
//
// The host launches `reduceTwo(data, partials, n)` with as many blocks as give every 2 of the `n` numbers
// a thread.
// Each block leaves its result in `partials`, and the host adds them up.
// Goal: at most 160 barrier arrivals (one per warp) at n = 1,024, 512 threads per block.
//
// You learn why each thread should add on its own before the tree begins. About 15 minutes.
//
// Check it:  cargo run --example exercise -- 3.4
// A hint:    cargo run --example exercise -- hint 3.4

extern "C" __global__ void reduceTwo(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
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
