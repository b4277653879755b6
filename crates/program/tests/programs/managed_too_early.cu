// Managed memory is read while the kernel that writes it is under way.
#include <stdio.h>
#include <cuda_runtime.h>

__global__ void twice(int *data)
{
    data[threadIdx.x] *= 2;
}

int main()
{
    int *data;
    cudaMallocManaged(&data, 32 * sizeof(int));
    for (int i = 0; i < 32; ++i)
        data[i] = i;
    twice<<<1, 32>>>(data);
    int early = data[5]; // expect: error host-access
    cudaDeviceSynchronize();
    printf("%d %d\n", early, data[5]); // prints: 5 10
    cudaFree(data);
    return 0;
}
