// A product of matrices, as it is written first, of a size that takes far too long: it is said early.
#include <stdio.h>
#include <cuda_runtime.h>

#define N 256

__global__ void product(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; ++k)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

int main()
{
    float *a, *b, *c;
    const size_t bytes = N * N * sizeof(float);
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&c, bytes);
    cudaMemset(a, 0, bytes);
    cudaMemset(b, 0, bytes);
    dim3 block(16, 16), grid(N / 16, N / 16);
    product<<<grid, block>>>(a, b, c, N); // expect: error step-limit
    cudaDeviceSynchronize();
    printf("behind\n");
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return 0;
}
