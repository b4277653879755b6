// A launch fails, another one follows, and the program takes the error for that of the second.
#include <stdio.h>
#include <cuda_runtime.h>

__global__ void fill(int *out)
{
    out[threadIdx.x] = threadIdx.x;
}

int main()
{
    int *d_out;
    cudaMalloc(&d_out, 4096 * sizeof(int));
    fill<<<1, 2048>>>(d_out); // expect: error launch-limit
    fill<<<1, 1024>>>(d_out); // expect: note host-access
    printf("%s\n", cudaGetErrorString(cudaGetLastError())); // prints: invalid argument
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
