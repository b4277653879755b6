// Sixteen blocks in a cluster, where eight are portable.
//@ launch mark<<<16, 32>>> cluster=16 buf:i32:uninit*16  # expect: launch-limit
// arch: 90
extern "C" __global__ void mark(int *out)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = 1;
}
