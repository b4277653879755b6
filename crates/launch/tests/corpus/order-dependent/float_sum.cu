// One atomic per block adds up floats: which block comes first decides how the sum is rounded.
//@ launch sum<<<4, 32>>> buf:f32:random*128 buf:f32:0
// in some orders
extern "C" __global__ void sum(const float *in, float *out)
{
    float x = in[blockIdx.x * 32 + threadIdx.x];
    for (int step = 16; step > 0; step /= 2)
        x += __shfl_down_sync(~0u, x, step);
    if (threadIdx.x == 0)
        atomicAdd(out, x);  // expect: order-dependent
}
