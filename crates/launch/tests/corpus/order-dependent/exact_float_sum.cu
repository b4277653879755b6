// Small whole numbers are added exactly, so that the order makes no difference to this sum of floats.
//@ launch sum<<<4, 32>>> buf:f32:0
//@ expect 0 = f32:10
// expect: clean
extern "C" __global__ void sum(float *out)
{
    if (threadIdx.x == 0)
        atomicAdd(out, blockIdx.x + 1.0f);
}
