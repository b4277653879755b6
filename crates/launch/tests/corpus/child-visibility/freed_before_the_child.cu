// A parent frees memory that its child works on, and does not wait for that child.
//@ launch parent<<<1, 1>>> buf:i32:uninit*32
__global__ void child(int *p, int *out)
{
    p[threadIdx.x] = threadIdx.x;  // expect: use-after-free "freed"
    out[threadIdx.x] = p[threadIdx.x];
}

extern "C" __global__ void parent(int *out)
{
    int *p = (int *)malloc(32 * sizeof(int));
    child<<<1, 32>>>(p, out);
    free(p);
}
