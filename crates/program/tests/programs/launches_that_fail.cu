// Launches that no GPU can do, and nobody asks.
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
    fill<<<0, 32>>>(d_out); // expect: error launch-limit
    fill<<<1, 32, 100000>>>(d_out); // expect: error launch-limit
    fill<<<1, 32>>>(d_out); // expect: note host-access
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
