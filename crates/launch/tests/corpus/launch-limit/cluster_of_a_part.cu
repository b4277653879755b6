// Six blocks are not whole clusters of four.
//@ launch mark<<<6, 32>>> buf:i32:uninit*6  # expect: launch-limit
// arch: 90
extern "C" __global__ void __cluster_dims__(4) mark(int *out)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = 1;
}
