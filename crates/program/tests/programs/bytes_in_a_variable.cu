// A number of bytes that is one of elements, and stands in a variable.
#include <cuda_runtime.h>

__global__ void fill(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] = i; // expect: error out-of-bounds
    }
}

int main()
{
    const int n = 1000;
    size_t bytes = n;
    int *data;
    cudaMalloc(&data, bytes); // expect: note host-access
    fill<<<(n + 127) / 128, 128>>>(data, n);
    cudaDeviceSynchronize();
    return 0;
}
