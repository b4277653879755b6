// A stream is told to wait for an event that is recorded only after that.
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
    int result;
    cudaStream_t first;
    cudaStream_t second;
    cudaEvent_t filled;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaEventCreate(&filled);
    cudaMalloc(&data, 32 * sizeof(int));
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(sum, 0, sizeof(int));
    cudaDeviceSynchronize();
    cudaStreamWaitEvent(second, filled, 0);
    fill<<<1, 32, 0, first>>>(data);
    cudaEventRecord(filled, first);
    add<<<1, 32, 0, second>>>(data, sum);
    cudaDeviceSynchronize();
    cudaMemcpy(&result, sum, sizeof(int), cudaMemcpyDeviceToHost);
    cudaEventDestroy(filled);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaFree(data);
    cudaFree(sum);
    return result == 496 ? 0 : 1;
}
