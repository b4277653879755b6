// What is wrong first is named first: a launch that fails comes before what follows from it, and what a
// kernel does counts from its launch.
#include <cstdio>
#include <cstdlib>

__global__ void fill(int *out, int n)
{
    int i = threadIdx.x;
    if (i < n)
        out[i] = i;
}

__global__ void sums(int *out, const int *in)
{
    out[threadIdx.x] = in[threadIdx.x] + 1; // expect: error uninitialized-read
}

int main()
{
    int n = 2000;
    int *d, *e, *h = (int *)malloc(n * sizeof(int));
    cudaMalloc(&d, n * sizeof(int));
    cudaMalloc(&e, n * sizeof(int));
    sums<<<1, 32>>>(e, d);
    fill<<<1, n>>>(d, n); // expect: error launch-limit
    cudaMemcpy(h, d, n * sizeof(int), cudaMemcpyDeviceToHost);
    if (h[5] == 5) // expect: error uninitialized-read
        printf("five\n");
    cudaFree(d);
    cudaFree(e);
    free(h);
    return 0;
}
