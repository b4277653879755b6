// Who writes last is left open, which is a warning. But if block 1 has the first ticket, it waits for a flag
// that no thread sets.
//@ launch take<<<2, 32>>> buf:u32:0 buf:u32:0 buf:u32:0
// in some orders
extern "C" __global__ void take(unsigned *next, unsigned *last, unsigned *flag)
{
    if (threadIdx.x != 0)
        return;
    unsigned ticket = atomicAdd(next, 1);
    atomicExch(last, blockIdx.x);  // expect: order-dependent
    if (ticket == 0 && blockIdx.x == 1)
        while (atomicAdd(flag, 0) == 0) {  // expect: deadlock
        }
}
