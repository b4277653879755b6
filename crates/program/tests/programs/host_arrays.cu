// An array of the host: one element too many, and one that was never filled.
#include <stdlib.h>
#include <cuda_runtime.h>

int main()
{
    const int n = 100;
    int *a = (int *)malloc(n * sizeof(int));
    int *d_a;
    cudaMalloc(&d_a, n * sizeof(int));
    cudaMemcpy(d_a, a, n * sizeof(int), cudaMemcpyHostToDevice); // expect: warning uninitialized-read
    cudaFree(d_a);
    for (int i = 0; i <= n; ++i)
        a[i] = i; // expect: error out-of-bounds
    free(a);
    return 0;
}
