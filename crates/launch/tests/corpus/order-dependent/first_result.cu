// The warp that comes last to a barrier goes on first, and has the first ticket in the plain order. The other
// order is the one in which warp 0 comes first.
//@ launch tickets<<<1, 64>>> buf:u32:0 buf:u32:zeros*2
// in some orders
extern "C" __global__ void tickets(unsigned *next, unsigned *out)
{
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        out[threadIdx.x / 32] = atomicAdd(next, 1);  // expect: order-dependent
}
