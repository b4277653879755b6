// Two blocks write a volatile word, each by a lock; one of them has no fence after it has taken the lock.
//@ launch change<<<2, 32>>> buf:u32:0 buf:i32:0
// in some orders
extern "C" __global__ void change(unsigned *lock, volatile int *word)
{
    if (threadIdx.x != 0)
        return;
    while (atomicCAS(lock, 0, 1) != 0) {  // expect-also: order-dependent
    }
    if (blockIdx.x == 0) {
        __threadfence();
        *word = 1;  // expect: order-dependent "fence"
    } else {
        *word = 2;
    }
    __threadfence();
    atomicExch(lock, 0);  // expect-also: order-dependent
}
