// Variables of the device given to kernels by the names that the host has for them, and by their addresses.
#include <cuda_runtime.h>

__constant__ int factors[2];
__device__ int sum;
__managed__ int seen;

__global__ void add(const int *factor, int *to)
{
    atomicAdd(to, factor[0] * factor[1]);
    atomicAdd(&seen, 1);
}

int main()
{
    int values[2] = {3, 5};
    int result;
    void *there;
    void *total;
    cudaMemcpyToSymbol(factors, values, sizeof values);
    add<<<1, 1>>>(factors, &seen); // expect: error host-access
    cudaDeviceSynchronize();
    cudaGetSymbolAddress(&there, factors);
    cudaGetSymbolAddress(&total, sum);
    add<<<1, 1>>>((int *)there, (int *)total);
    add<<<1, 1>>>((int *)there, &seen);
    cudaMemcpyFromSymbol(&result, sum, sizeof result);
    return result == 15 ? 0 : 1;
}
