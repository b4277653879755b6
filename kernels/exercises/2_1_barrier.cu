// Exercise 2.1: Put the barrier where it belongs
//
// One block adds up its numbers in place: in step `stride` every thread whose index is a multiple of
// `2 * stride` adds its neighbour's sum. Nothing makes a thread wait until that neighbour has finished its
// own step. Put one `__syncthreads()` where it belongs.
//
// The host launches `reduceNeighbored(data, out, n)` with one block.
//
// You learn between which two accesses a barrier has to stand. About 10 minutes.
//
// Check it:  cargo run --example exercise -- 2.1
// A hint:    cargo run --example exercise -- hint 2.1

extern "C" __global__ void reduceNeighbored(int *g_data, int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    for (unsigned int stride = 1; stride < size; stride *= 2) {
        if (tid % (2 * stride) == 0 && tid + stride < size) {
            g_data[tid] += g_data[tid + stride];
        }
    }
    if (tid == 0) {
        *g_odata = size > 0 ? g_data[0] : 0;
    }
}
