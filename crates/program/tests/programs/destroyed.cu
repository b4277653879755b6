// A stream and an event that are used after they were destroyed.
#include <cuda_runtime.h>

__global__ void nothing()
{
}

int main()
{
    cudaStream_t stream;
    cudaEvent_t event;
    cudaStreamCreate(&stream);
    cudaEventCreate(&event);
    cudaStreamDestroy(stream);
    cudaEventDestroy(event);
    nothing<<<1, 1, 0, stream>>>(); // expect: error use-after-free
    cudaEventRecord(event); // expect: error use-after-free
    cudaDeviceSynchronize();
    return 0;
}
