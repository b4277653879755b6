// An addition and a doubling of one word, each by a lock: both orders are free of races, and differ.
//@ launch change<<<2, 32>>> buf:u32:0 buf:i32:3
// in some orders
extern "C" __global__ void change(unsigned *lock, int *word)
{
    if (threadIdx.x != 0)
        return;
    while (atomicCAS(lock, 0, 1) != 0) {  // expect: order-dependent
    }
    __threadfence();
    if (blockIdx.x == 0)
        *word = *word + 4;
    else
        *word = *word * 2;
    __threadfence();
    atomicExch(lock, 0);  // expect-also: order-dependent
}
