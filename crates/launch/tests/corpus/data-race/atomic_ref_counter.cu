// Relaxed additions at device scope, by all blocks.
// expect: clean
//@ launch count<<<4, 32>>> buf:i32:zeros*1
//@ expect 0 = i32:128
#include <cuda/atomic>
extern "C" __global__ void count(int* counter) {
    cuda::atomic_ref<int, cuda::thread_scope_device> all(*counter);
    all.fetch_add(1, cuda::memory_order_relaxed);
}
