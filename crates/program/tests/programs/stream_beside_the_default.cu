// Waiting for a stream is not waiting for what the default stream was given later.
#include <stdio.h>
#include <cuda_runtime.h>

__global__ void fill(int *out, int value)
{
    out[threadIdx.x] = value;
}

int main()
{
    int *first, *second;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocManaged(&first, 32 * sizeof(int));
    cudaMallocManaged(&second, 32 * sizeof(int));
    fill<<<1, 32, 0, stream>>>(first, 1);
    fill<<<1, 32>>>(second, 2);
    cudaStreamSynchronize(stream);
    printf("%d\n", first[7]); // prints: 1
    int early = second[7]; // expect: error host-access
    cudaDeviceSynchronize();
    printf("%d\n", second[7]); // prints: 2
    cudaStreamDestroy(stream);
    cudaFree(first);
    cudaFree(second);
    return early == 2;
}
