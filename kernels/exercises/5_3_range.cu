// Exercise 5.3: Two results, no bank conflicts
//
// One block finds the range of its numbers: the largest minus the smallest. Both go through one tree in
// shared memory, as pairs: the smallest in word `2 * t`, the largest in word `2 * t + 1`. Neighbouring lanes
// are then two words apart, and lanes 0 and 16 use the same one of the 32 banks: one of them has to wait.
// Keep the tree, and lay out the tile so that no lane waits.
//
// The host launches `rangeOfBlock(input, out, n)` with one block.
// Goal: no shared bank conflicts at n = 256, 256 threads per block.
//
// You learn to recognise bank conflicts, and to lay out shared memory without them. About 15 minutes.
//
// Check it:  cargo run --example exercise -- 5.3
// A hint:    cargo run --example exercise -- hint 5.3

const unsigned int MOST = 1024; // threads per block

// The words of the tile that belong to a thread.
static __device__ unsigned int smallest(unsigned int tid)
{
    return 2 * tid;
}

static __device__ unsigned int largest(unsigned int tid)
{
    return 2 * tid + 1;
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
