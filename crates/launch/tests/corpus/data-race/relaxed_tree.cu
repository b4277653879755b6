// Relaxed accesses do not race either, and order as little.
//@ launch sum<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*1
#include <cuda/atomic>
using Word = cuda::atomic_ref<int, cuda::thread_scope_device>;
extern "C" __global__ void sum(int* data, int* out) {
    unsigned t = threadIdx.x;
    for (unsigned half = 32; half > 0; half /= 2) {
        if (t < half) {
            int other = Word(data[t + half]).load(cuda::memory_order_relaxed);  // expect-also: data-race
            Word(data[t]).store(Word(data[t]).load(cuda::memory_order_relaxed) + other,  // expect: data-race
                                cuda::memory_order_relaxed);  // expect-also: data-race
        }
    }
    if (t == 0) *out = Word(data[0]).load(cuda::memory_order_relaxed);
}
