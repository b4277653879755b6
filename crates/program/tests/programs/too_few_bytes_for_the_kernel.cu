// cudaMalloc is given a number of elements.
#include <cstdio>

__global__ void square(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i * i; // expect: error out-of-bounds
}

int main()
{
    const int n = 1024;
    float *d;
    cudaMalloc(&d, n);
    square<<<n / 256, 256>>>(d, n);
    cudaDeviceSynchronize();
    cudaFree(d);
    return 0;
}
