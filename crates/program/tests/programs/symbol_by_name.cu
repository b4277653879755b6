// A device variable's name in host code is not its address on the device.
#include <stdio.h>
#include <cuda_runtime.h>

__constant__ float scale[4];
__device__ int count;
const float table[4] = {1, 2, 3, 4};

__global__ void fill(float *out, const float *in)
{
    out[threadIdx.x] = scale[threadIdx.x % 4] * in[threadIdx.x % 4];
    atomicAdd(&count, 1);
}

int main()
{
    float result[32];
    float *d_out, *d_in;
    int *d_count, counted = 0;
    cudaMalloc(&d_out, sizeof(result));
    cudaMalloc(&d_in, sizeof(table));
    cudaMemcpy(d_in, table, sizeof(table), cudaMemcpyHostToDevice);
    int error = cudaMemcpy(scale, table, sizeof(scale), cudaMemcpyHostToDevice); // expect: error host-access
    printf("%s\n", cudaGetErrorString((cudaError_t)error)); // prints: invalid argument
    cudaMemcpyToSymbol(scale, table, sizeof(scale));
    fill<<<1, 32>>>(d_out, d_in);
    cudaMemcpy(result, d_out, sizeof(result), cudaMemcpyDeviceToHost);
    cudaMemcpy(&counted, &count, sizeof(counted), cudaMemcpyDeviceToHost); // expect: error host-access
    printf("%g %d\n", result[3], counted); // prints: 16 0
    cudaGetSymbolAddress((void **)&d_count, count);
    cudaMemcpy(&counted, d_count, sizeof(counted), cudaMemcpyDeviceToHost);
    printf("%d\n", counted); // prints: 32
    cudaFree(d_out);
    cudaFree(d_in);
    return 0;
}
