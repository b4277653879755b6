// The number of blocks where that of threads belongs.
#include <cuda_runtime.h>

__global__ void sums(const int *data, int *partials, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = 0; // expect: error out-of-bounds
    }
    __syncthreads();
    if (i < n) {
        atomicAdd(&partials[blockIdx.x], data[i]);
    }
}

int main()
{
    const int n = 1000;
    const int threads = 64;
    const int blocks = (n + threads - 1) / threads;
    int *data;
    int *partials;
    cudaMalloc(&data, n * sizeof(int)); // expect: note host-access
    cudaMalloc(&partials, blocks * sizeof(int));
    cudaMemset(data, 0, n * sizeof(int));
    sums<<<threads, blocks>>>(data, partials, n);
    cudaDeviceSynchronize();
    return 0;
}
