// A parent reads at once what its child is to write: nothing is there yet, and that is why.
//@ launch parent<<<1, 1>>> buf:i32:uninit*32 buf:i32:uninit*1
__global__ void child(int *p)
{
    p[threadIdx.x] = threadIdx.x;
}

extern "C" __global__ void parent(int *p, int *out)
{
    child<<<1, 32>>>(p);
    *out = p[31];  // expect: child-visibility "31"
}
