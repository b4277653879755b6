// memcpy does not reach device memory.
#include <string.h>
#include <cuda_runtime.h>

int main()
{
    float h_a[8];
    float *d_a;
    cudaMalloc(&d_a, sizeof h_a);
    cudaMemset(d_a, 0, sizeof h_a);
    memcpy(h_a, d_a, sizeof h_a); // expect: error host-access
    cudaFree(d_a);
    return 0;
}
