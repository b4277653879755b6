// thread_scope_block, used by two blocks: the additions are not even atomic for each other.
//@ launch count<<<2, 32>>> buf:i32:zeros*1
#include <cuda/atomic>
extern "C" __global__ void count(int* counter) {
    cuda::atomic_ref<int, cuda::thread_scope_block> mine(*counter);
    mine.fetch_add(1, cuda::memory_order_relaxed);  // expect: data-race
}
