// The array of the result holds zeros from the start, and nothing is copied back: no word of it is unwritten.
#include <stdio.h>
#include <cuda_runtime.h>

__global__ void fill(int *out)
{
    out[threadIdx.x] = threadIdx.x;
}

int main()
{
    int result[32] = {};
    int *d_result;
    cudaMalloc(&d_result, sizeof(result));
    cudaMemcpy(d_result, result, sizeof(result), cudaMemcpyHostToDevice);
    fill<<<1, 32>>>(d_result); // expect: note host-access
    cudaDeviceSynchronize();
    printf("%d\n", result[7]); // prints: 0
    cudaFree(d_result);
    return 0;
}
