// Fails, and nothing is wrong but what it reads: half of one array, nothing of another,
// and of two that change places the older one.
#include <cstdio>
#include <utility>

__global__ void weighted(const float *x, const float *weights, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2)
        out[i] = 2 * x[i]; // expect: note never-read
    else if (i < n)
        out[i] = 0;
}

__global__ void step(const float *from, float *to)
{
    to[threadIdx.x] = from[threadIdx.x] + 1;
}

int main()
{
    const int n = 64;
    float host[n];
    for (int i = 0; i < n; i++)
        host[i] = i;
    float *x;
    float *weights;
    float *now;
    float *next;
    float *last;
    cudaMalloc(&x, sizeof host);
    cudaMalloc(&weights, sizeof host);
    cudaMalloc(&now, sizeof host);
    cudaMalloc(&next, sizeof host);
    cudaMalloc(&last, sizeof host);
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(weights, host, sizeof host, cudaMemcpyHostToDevice); // expect: note never-read
    cudaMemcpy(last, host, sizeof host, cudaMemcpyHostToDevice); // overwritten: no input
    weighted<<<2, 32>>>(x, weights, now, n);
    for (int i = 0; i < 4; i++) {
        step<<<1, n>>>(now, next); // expect: note never-read
        std::swap(now, next);
    }
    step<<<1, n>>>(next, last);
    cudaMemcpy(host, last, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpy(host, next, sizeof host, cudaMemcpyDeviceToHost);
    for (float *array : {x, weights, now, next, last})
        cudaFree(array);
    return host[n - 1] == 2 * (n - 1) + 4 ? 0 : 1; // returns: 1
}
