// A release for the device, acquired for the block alone by another block: the scopes must include both
// threads.
//@ launch pass<<<2, 1>>> buf:i32:zeros*1 buf:i32:zeros*1 buf:i32:zeros*1
#include <cuda/atomic>
extern "C" __global__ void pass(int* data, int* flag, int* out) {
    if (blockIdx.x == 0) {
        *data = 42;  // expect-also: data-race
        cuda::atomic_ref<int, cuda::thread_scope_device> mine(*flag);
        mine.store(1, cuda::memory_order_release);  // expect-also: data-race
    } else {
        cuda::atomic_ref<int, cuda::thread_scope_block> mine(*flag);
        while (mine.load(cuda::memory_order_acquire) == 0) {}  // expect: data-race
        *out = *data;                                          // expect: data-race
    }
}
