// Which numbers are kept does not depend on the order, but where each of them lands does.
//@ launch keep<<<2, 32>>> buf:i32:iota*64 buf:u32:0 buf:i32:zeros*64
// in some orders
extern "C" __global__ void keep(const int *in, unsigned *count, int *out)
{
    int value = in[blockIdx.x * 32 + threadIdx.x];
    if (value % 3 == 0)
        out[atomicAdd(count, 1)] = value;  // expect: order-dependent
}
