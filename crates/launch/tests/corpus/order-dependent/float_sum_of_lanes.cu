// The lanes of one warp add up floats by one instruction, and lanes have no order.
//@ launch sum<<<1, 32>>> buf:f32:random*32 buf:f32:0
// in some orders
extern "C" __global__ void sum(const float *in, float *out)
{
    atomicAdd(out, in[threadIdx.x]);  // expect: order-dependent
}
