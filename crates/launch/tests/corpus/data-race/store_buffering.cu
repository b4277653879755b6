// Each thread says that it is there and looks for the other. Nothing keeps both from seeing nobody.
//@ launch meet<<<2, 1>>> buf:i32:zeros*2 buf:i32:zeros*2
#include <cuda/atomic>
using Word = cuda::atomic_ref<int, cuda::thread_scope_device>;
extern "C" __global__ void meet(int* here, int* seen) {
    unsigned me = blockIdx.x;
    Word mine(here[me]);
    Word other(here[1 - me]);
    mine.store(1, cuda::memory_order_relaxed);  // expect: data-race  expect-also: order-dependent
    seen[me] = other.load(cuda::memory_order_relaxed);  // expect: data-race  expect-also: order-dependent
}
