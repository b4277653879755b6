// The ticket releases this block's sum, and acquires those of the blocks before it.
// expect: clean
//@ launch sum<<<4, 32>>> buf:i32:iota*128 buf:i32:zeros*4 buf:u32:zeros*1 buf:i32:zeros*1
//@ expect 3 = i32:8128
#include <cuda/atomic>
extern "C" __global__ void sum(const int* in, int* partial, unsigned* ticket, int* out) {
    unsigned t = threadIdx.x;
    int sum = in[blockIdx.x * 32 + t];
    for (unsigned half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffff, sum, half);
    if (t == 0) {
        partial[blockIdx.x] = sum;
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> tickets(*ticket);
        if (tickets.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1) {
            int total = 0;
            for (unsigned b = 0; b < gridDim.x; b++) {
                total += partial[b];
            }
            *out = total;
        }
    }
}
