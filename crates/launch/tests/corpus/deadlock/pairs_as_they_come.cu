// A barrier for two warps, to which warp 0 comes twice and the others once: if warps 1 and 2 meet there,
// nobody is left for warp 0.
//@ launch meet<<<1, 96>>> buf:i32:zeros*96
// in some orders
extern "C" __global__ void meet(int *out)
{
    unsigned t = threadIdx.x;
    asm volatile("bar.sync 1, 64;" ::: "memory");  // expect: deadlock
    if (t < 32)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    out[t] = 1;
}
