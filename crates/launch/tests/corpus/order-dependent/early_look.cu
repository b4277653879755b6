// A block looks once for a flag that another one sets, and does not wait for it.
//@ launch look<<<2, 32>>> buf:u32:0 buf:i32:0
// in some orders
extern "C" __global__ void look(unsigned *flag, int *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0)
        atomicExch(flag, 1);
    else if (atomicAdd(flag, 0) == 1)  // expect: order-dependent
        *out = 5;
}
