// One event is recorded in two streams, and a third one waits for it: only the last record counts.
#include <cuda_runtime.h>

__global__ void fill(int *data)
{
    data[threadIdx.x] = threadIdx.x;
}

__global__ void add(const int *first, const int *second, int *sum)
{
    atomicAdd(sum, first[threadIdx.x] + second[threadIdx.x]); // expect: error data-race
}

int main()
{
    int *data[2];
    int *sum;
    int result;
    cudaStream_t streams[3];
    cudaEvent_t filled;
    for (cudaStream_t &stream : streams)
        cudaStreamCreate(&stream);
    cudaEventCreate(&filled);
    cudaMalloc(&data[0], 32 * sizeof(int));
    cudaMalloc(&data[1], 32 * sizeof(int));
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(sum, 0, sizeof(int));
    cudaDeviceSynchronize();
    for (int i = 0; i < 2; i++) {
        fill<<<1, 32, 0, streams[i]>>>(data[i]);
        cudaEventRecord(filled, streams[i]);
    }
    cudaStreamWaitEvent(streams[2], filled, 0);
    add<<<1, 32, 0, streams[2]>>>(data[0], data[1], sum);
    cudaDeviceSynchronize();
    cudaMemcpy(&result, sum, sizeof(int), cudaMemcpyDeviceToHost);
    cudaEventDestroy(filled);
    for (cudaStream_t stream : streams)
        cudaStreamDestroy(stream);
    cudaFree(data[0]);
    cudaFree(data[1]);
    cudaFree(sum);
    return result == 992 ? 0 : 1;
}
