// The flag arrives; what was written before it need not have.
//@ launch pass<<<2, 1>>> buf:i32:zeros*1 buf:i32:zeros*1 buf:i32:zeros*1
#include <cuda/atomic>
extern "C" __global__ void pass(int* data, int* flag, int* out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    if (blockIdx.x == 0) {
        *data = 42;  // expect-also: data-race
        ready.store(1, cuda::memory_order_relaxed);
    } else {
        while (ready.load(cuda::memory_order_relaxed) == 0) {}
        *out = *data;  // expect: data-race
    }
}
