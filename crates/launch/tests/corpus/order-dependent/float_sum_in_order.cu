// The last block to arrive adds the partial sums in a fixed order: the same bits, whichever block that is.
//@ launch sum<<<4, 32>>> buf:f32:random*128 buf:f32:zeros*4 buf:u32:0 buf:f32:0
// expect: clean
extern "C" __global__ void sum(const float *in, float *partials, unsigned *ticket, float *out)
{
    float x = in[blockIdx.x * 32 + threadIdx.x];
    for (int step = 16; step > 0; step /= 2)
        x += __shfl_down_sync(~0u, x, step);
    if (threadIdx.x != 0)
        return;
    partials[blockIdx.x] = x;
    __threadfence();
    if (atomicAdd(ticket, 1) != gridDim.x - 1)
        return;
    __threadfence();
    float sum = 0;
    for (unsigned block = 0; block < gridDim.x; block++)
        sum += partials[block];
    *out = sum;
}
