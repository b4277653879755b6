// From thread to thread within a block, then on to another block: each step at a scope that includes both.
//@ launch pass<<<2, 64>>> buf:i32:zeros*1 buf:i32:zeros*1 buf:i32:zeros*1 buf:i32:zeros*1
// expect: clean
//@ expect 3 = i32:42
#include <cuda/atomic>
extern "C" __global__ void pass(int* data, int* near, int* far, int* out) {
    cuda::atomic_ref<int, cuda::thread_scope_block> here(*near);
    cuda::atomic_ref<int, cuda::thread_scope_device> there(*far);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *data = 42;
        here.store(1, cuda::memory_order_release);
    } else if (blockIdx.x == 0 && threadIdx.x == 32) {
        while (here.load(cuda::memory_order_acquire) == 0) {}
        there.store(1, cuda::memory_order_release);
    } else if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (there.load(cuda::memory_order_acquire) == 0) {}
        *out = *data;
    }
}
