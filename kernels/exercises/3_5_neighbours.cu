// Exercise 3.5: Neighbours load neighbours
//
// Each thread adds up eight numbers before the tree begins. Here thread t takes eight adjacent numbers, from
// `8 * t` on. In each load the lanes of a warp touch 32 different sectors and use four bytes of each. Choose
// other numbers for each thread, so that neighbouring lanes load neighbouring numbers.
//
// The host launches `reduceEight(data, partials, n)` with as many blocks as give every 8 of the `n`
// numbers a thread.
// Each block leaves its result in `partials`, and the host adds them up.
// Goal: at most 340 global load sectors at n = 2,048, 256 threads per block.
//
// You learn which numbers a thread should take so that the loads of a warp share sectors. About 10
// minutes.
//
// Check it:  cargo run --example exercise -- 3.5
// A hint:    cargo run --example exercise -- hint 3.5

extern "C" __global__ void reduceEight(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = 8 * blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(8 * blockDim.x, size - first) : 0;
    unsigned int *idata = g_idata + first;
    unsigned int sum = 0;
    for (unsigned int k = 0; k < 8; k++) {
        unsigned int i = 8 * tid + k;
        sum += i < count ? idata[i] : 0;
    }
    __syncthreads(); // everything has been read
    if (tid < count) {
        idata[tid] = sum;
    }
    __syncthreads(); // every thread has its sum
    for (unsigned int length = min(count, blockDim.x); length > 1; length = (length + 1) / 2) {
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
