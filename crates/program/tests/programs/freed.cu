// Memory that is used after it was freed, freed twice, or freed by the wrong function.
#include <stdlib.h>
#include <cuda_runtime.h>

int main()
{
    int *h_a = (int *)malloc(64);
    int *h_b = new int[16];
    int *d_a;
    int *d_b;
    cudaMalloc(&d_a, 64);
    cudaMalloc(&d_b, 64);
    cudaFree(d_a);
    cudaFree(d_a); // expect: error use-after-free
    cudaMemset(d_a, 0, 64); // expect: error use-after-free
    free(d_b); // expect: error host-access
    cudaFree(h_a); // expect: error host-access
    delete h_b; // expect: error host-access
    cudaFree(d_b);
    free(h_a);
    h_a[0] = 1; // expect: error use-after-free
    return 0;
}
