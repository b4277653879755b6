// An asynchronous copy into page-locked memory, which is read before the stream is through.
#include <stdio.h>
#include <cuda_runtime.h>

__global__ void fill(int *out)
{
    out[threadIdx.x] = threadIdx.x;
}

int main()
{
    int *result;
    int *d_result;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocHost(&result, 32 * sizeof(int));
    cudaMalloc(&d_result, 32 * sizeof(int));
    result[3] = -1;
    fill<<<1, 32, 0, stream>>>(d_result);
    cudaMemcpyAsync(result, d_result, 32 * sizeof(int), cudaMemcpyDeviceToHost, stream);
    int early = result[3]; // expect: error host-access
    cudaStreamSynchronize(stream);
    printf("%d %d\n", early, result[3]); // prints: -1 3
    cudaStreamDestroy(stream);
    cudaFreeHost(result);
    cudaFree(d_result);
    return 0;
}
