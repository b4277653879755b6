// A variable of the host, in a kernel.
#include <cuda_runtime.h>

static int table[32];

__global__ void twice(int *data)
{
    data[threadIdx.x] *= 2; // expect: error host-access
}

int main()
{
    twice<<<1, 32>>>(table);
    cudaDeviceSynchronize();
    return 0;
}
