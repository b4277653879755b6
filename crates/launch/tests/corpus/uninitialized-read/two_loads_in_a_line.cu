// Two arrays are read in one line, and each is named where its value is used.
//@ launch pair<<<1, 32>>> buf:i32:uninit*32 buf:i32:uninit*32
extern "C" __global__ void pair(int *out, int *other)
{
    __shared__ int a[32], b[32];
    if (threadIdx.x == 99)
        a[0] = b[0] = 1;
    int x = a[threadIdx.x], y = b[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = x;  // expect: uninitialized-read
    other[threadIdx.x] = y;  // expect: uninitialized-read
}
