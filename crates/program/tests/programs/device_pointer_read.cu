// A pointer from cudaMalloc is an address of the device: the host must not follow it.
#include <stdio.h>
#include <cuda_runtime.h>

__global__ void fill(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i;
}

int main()
{
    const int n = 100;
    int *d_out;
    cudaMalloc(&d_out, n * sizeof(int));
    fill<<<1, 128>>>(d_out, n);
    cudaDeviceSynchronize();
    printf("%d\n", d_out[5]); // expect: error host-access
    cudaFree(d_out);
    return 0;
}
