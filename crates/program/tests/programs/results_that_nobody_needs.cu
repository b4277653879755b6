// Much that launches leave is never read, and nothing is wrong: what warms up, what is timed, what is tried
// with blocks of several sizes, and an error that only some steps of many look at.
#include <cstdio>
#include <utility>
#include <cuda_runtime.h>

__global__ void sum(const int *in, int *out, int n)
{
    __shared__ int cache[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cache[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s)
            cache[threadIdx.x] += cache[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = cache[0];
}

__global__ void step(const int *from, int *to, int *changed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int left = i > 0 ? from[i - 1] : 0;
    to[i] = left + 1;
    changed[i] = to[i] != from[i];
}

int main()
{
    const int n = 1024, blocks = n / 64;
    int *in, *other, *sums, *total, result;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&other, n * sizeof(int));
    cudaMalloc(&sums, n / 16 * sizeof(int));
    cudaMalloc(&total, sizeof(int));
    cudaMemset(in, 0, n * sizeof(int));
    cudaMemset(sums, 0, n / 16 * sizeof(int));

    sum<<<blocks, 64>>>(in, sums, n);
    for (int threads = 16; threads <= 64; threads *= 2)
        sum<<<n / threads, threads>>>(in, sums, n);
    for (int repeat = 0; repeat < 3; ++repeat) {
        sum<<<blocks, 64>>>(in, sums, n);
        sum<<<1, 16>>>(sums, total, blocks);
    }
    cudaMemcpy(&result, total, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", result); // prints: 0

    for (int k = 1; k <= 6; ++k) {
        step<<<2, 32>>>(in, other, sums, 64);
        std::swap(in, other);
        if (k % 3 == 0)
            cudaMemcpy(&result, sums + 63, sizeof(int), cudaMemcpyDeviceToHost);
    }
    printf("%d\n", result); // prints: 1
    cudaFree(in);
    cudaFree(other);
    cudaFree(sums);
    cudaFree(total);
    return 0;
}
