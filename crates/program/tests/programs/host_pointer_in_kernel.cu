// Memory of the host, of all kinds, in a kernel.
#include <stdlib.h>
#include <cuda_runtime.h>

__global__ void twice(int *data, int n)
{
    int i = threadIdx.x;
    if (i < n)
        data[i] *= 2; // expect: error host-access
}

int main()
{
    int *h_data = (int *)malloc(32 * sizeof(int));
    for (int i = 0; i < 32; ++i)
        h_data[i] = i;
    twice<<<1, 32>>>(h_data, 32);
    cudaDeviceSynchronize();
    free(h_data);
    return 0;
}
