// Two streams that share an array, and nothing orders them.
#include <cuda_runtime.h>

__global__ void fill(int *data)
{
    data[threadIdx.x] = threadIdx.x;
}

__global__ void add(const int *data, int *sum)
{
    atomicAdd(sum, data[threadIdx.x]); // expect: error data-race
}

int main()
{
    int *data;
    int *sum;
    cudaStream_t first;
    cudaStream_t second;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaMalloc(&data, 32 * sizeof(int));
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(data, 0, 32 * sizeof(int));
    cudaMemset(sum, 0, sizeof(int));
    cudaDeviceSynchronize();
    fill<<<1, 32, 0, first>>>(data); // expect: note host-access
    add<<<1, 32, 0, second>>>(data, sum);
    cudaDeviceSynchronize();
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaFree(data);
    cudaFree(sum);
    return 0;
}
