// Exercise 5.5: Repair an early return
//
// Each warp sums its numbers by shuffles and leaves the sum in shared memory; thread 0 adds the sums of the
// warps. The kernel begins as many do: a thread that has no number returns. Here that is wrong, in more than
// one way, as soon as the last block is not full. Repair it for every length. The host's block sizes are
// multiples of 32.
//
// The host launches `reduceByWarps(input, partials, n)` with as many blocks as give each of the `n`
// numbers a thread.
// Each block leaves its result in `partials`, and the host adds them up.
//
// You learn what a block still needs from a thread that has no number. About 10 minutes.
//
// Check it:  cargo run --example exercise -- 5.5
// A hint:    cargo run --example exercise -- hint 5.5

extern "C" __global__ void reduceByWarps(const unsigned int *g_idata, unsigned int *g_odata,
                                         unsigned int size)
{
    __shared__ unsigned int ofWarp[32];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + tid;
    if (i >= size) {
        return;
    }
    unsigned int sum = g_idata[i];
    for (unsigned int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    }
    if (tid % 32 == 0) {
        ofWarp[tid / 32] = sum;
    } // a sum for each warp
    __syncthreads(); // all sums are there
    if (tid == 0) {
        unsigned int all = 0;
        for (unsigned int warp = 0; warp < blockDim.x / 32; warp++) {
            all += ofWarp[warp];
        }
        g_odata[blockIdx.x] = all;
    }
}
