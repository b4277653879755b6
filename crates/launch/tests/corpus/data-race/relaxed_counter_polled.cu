// A thread waits for a relaxed counter, and hands on what it has waited for.
//@ launch count<<<4, 32>>> buf:i32:zeros*1 buf:i32:zeros*1
// expect: clean
//@ expect 1 = i32:4
#include <cuda/atomic>
using Word = cuda::atomic_ref<int, cuda::thread_scope_device>;
extern "C" __global__ void count(int* arrived, int* out) {
    if (threadIdx.x > 0) return;
    Word(*arrived).fetch_add(1, cuda::memory_order_relaxed);
    if (blockIdx.x > 0) return;
    int seen;
    do seen = Word(*arrived).load(cuda::memory_order_relaxed);
    while (seen < 4);
    *out = seen;
}
