// Exercise 5.1: Half the loads, and fewer
//
// The tree in global memory reloads every sum that it has just stored. Load the block's numbers into shared
// memory first, each with one load, and build the tree there. Global memory is then read once and written
// once.
//
// The host launches `reduceShared(data, partials, n)` with as many blocks as give each of the `n` numbers
// a thread.
// Each block leaves its result in `partials`, and the host adds them up.
// Goal: at most 16 global load requests (one per warp) at n = 512, 512 threads per block.
// Goal: at most one global store sector at n = 512, 512 threads per block.
//
// You learn how shared memory replaces repeated loads from global memory. About 15 minutes.
//
// Check it:  cargo run --example exercise -- 5.1
// A hint:    cargo run --example exercise -- hint 5.1

extern "C" __global__ void reduceShared(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    unsigned int *data = g_idata + first;
    for (unsigned int length = count; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            data[tid] += data[tid + half];
        }
        __syncthreads(); // a step is done
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = count > 0 ? data[0] : 0;
    }
}
