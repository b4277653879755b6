// The second pass of a reduction is given the input again, not what the first pass has left: once over the
// result of the first pass, and once beside it.
#include <cstdio>
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

int main()
{
    const int n = 1024, blocks = n / 64;
    int *in, *sums, *parts, *total, result[2];
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&sums, blocks * sizeof(int));
    cudaMalloc(&parts, blocks * sizeof(int));
    cudaMalloc(&total, sizeof(int));
    cudaMemset(in, 0, n * sizeof(int));

    sum<<<blocks, 64>>>(in, sums, n);
    sum<<<1, 64>>>(in, sums, blocks); // expect: note never-read
    cudaMemcpy(&result[0], sums, sizeof(int), cudaMemcpyDeviceToHost);

    sum<<<blocks, 64>>>(in, parts, n);
    sum<<<1, 16>>>(in, total, n); // expect: note never-read
    cudaMemcpy(&result[1], total, sizeof(int), cudaMemcpyDeviceToHost);

    int *levels;
    cudaMalloc(&levels, blocks * sizeof(int));
    for (int left = n; left > 1; left /= 64)
        sum<<<(left + 63) / 64, 64>>>(in, levels, left); // expect: note never-read
    cudaMemcpy(&result[1], levels, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(levels);

    printf("%d %d\n", result[0], result[1]); // prints: 0 0
    cudaFree(in);
    cudaFree(sums);
    cudaFree(parts);
    cudaFree(total);
    return 0;
}
