// A function of the host fills memory for the copy after it in the stream.
// The memory is pageable, so the copy has read it before, when it was called.
#include <cuda_runtime.h>

int host[32];

void fill(void *data)
{
    for (int i = 0; i < 32; i++)
        static_cast<int *>(data)[i] = i;
}

int main()
{
    int *data;
    int sum = 0;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&data, sizeof host);
    cudaLaunchHostFunc(stream, fill, host);
    cudaMemcpyAsync(data, host, sizeof host, cudaMemcpyHostToDevice, stream); // expect: error host-access
    cudaStreamSynchronize(stream);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    for (int element : host)
        sum += element;
    cudaFree(data);
    cudaStreamDestroy(stream);
    return sum == 496 ? 0 : 1; // returns: 1
}
