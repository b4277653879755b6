// The direction of a copy that its pointers do not have.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

int main()
{
    const int n = 64;
    float *a = (float *)calloc(n, sizeof(float));
    float *d_a;
    cudaMalloc((void **)&d_a, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyDeviceToHost); // expect: error host-access
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(a, d_a, n * sizeof(float), cudaMemcpyHostToDevice); // expect: error host-access
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyDefault);
    printf("%s\n", cudaGetErrorName(cudaGetLastError())); // prints: cudaErrorInvalidValue
    cudaFree(d_a);
    free(a);
    return 0;
}
