// Additions of integers come to the same in any order.
//@ launch sum<<<4, 32>>> buf:i32:iota*128 buf:i32:0
//@ expect 1 = i32:8128
// expect: clean
extern "C" __global__ void sum(const int *in, int *out)
{
    atomicAdd(out, in[blockIdx.x * 32 + threadIdx.x]);
}
