// A launch that fails, and the program finds out by itself.
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
    fill<<<1, 2048>>>(d_out); // expect: note launch-limit
    cudaError_t error = cudaGetLastError();
    printf("%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
    // prints: cudaErrorInvalidValue: invalid argument
    fill<<<1, 1024>>>(d_out); // expect: note host-access
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize())); // prints: no error
    cudaFree(d_out);
    return error == cudaSuccess ? 0 : 3; // returns: 3
}
