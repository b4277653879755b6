// Exercise 2.2: Any length
//
// One block sums `size` numbers in place, adding the second half onto the first. The kernel is right as long
// as `size` is a power of two. Make it right for every size that the block has threads for, and for an empty
// array.
//
// The host launches `reduceHalves(data, out, n)` with one block.
//
// You learn how a tree in place handles lengths that are not powers of two. About 10 minutes.
//
// Check it:  cargo run --example exercise -- 2.2
// A hint:    cargo run --example exercise -- hint 2.2

extern "C" __global__ void reduceHalves(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    for (unsigned int half = size / 2; half > 0; half /= 2) {
        if (tid < half) {
            g_data[tid] += g_data[tid + half];
        }
        __syncthreads();
    }
    if (tid == 0) {
        *g_odata = g_data[0];
    }
}
