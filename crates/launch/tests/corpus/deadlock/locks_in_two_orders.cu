// Two blocks take two locks, each in an order of its own: where both have one, both wait for ever.
//@ launch add<<<2, 32>>> buf:i32:0 buf:i32:0 buf:i32:0
// in some orders
extern "C" __global__ void add(int *a, int *b, int *out)
{
    if (threadIdx.x != 0)
        return;
    int *first = blockIdx.x == 0 ? a : b;
    int *second = blockIdx.x == 0 ? b : a;
    while (atomicCAS(first, 0, 1) != 0) {
    }
    while (atomicCAS(second, 0, 1) != 0) {  // expect: deadlock
    }
    __threadfence();
    *out = *out + 1;
    __threadfence();
    atomicExch(second, 0);
    atomicExch(first, 0);
}
