// The host has forgotten cudaMemcpyToSymbol: the constants are 0.
//@ launch scale<<<1, 32>>> buf:i32:iota*32
__constant__ int factors[4];

extern "C" __global__ void scale(int *data)
{
    data[threadIdx.x] *= factors[threadIdx.x % 4]; // expect: uninitialized-read "constant"
}
