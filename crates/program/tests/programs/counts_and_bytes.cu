// Elements where bytes are counted, the size of a pointer, and more bytes than there are.
#include <stdlib.h>
#include <cuda_runtime.h>

int main()
{
    const int n = 1000;
    double *a = new double[n];
    for (int i = 0; i < n; ++i)
        a[i] = i;
    double *d_a;
    double *d_small;
    cudaMalloc(&d_a, n * sizeof(double));
    cudaMalloc(&d_small, n);
    cudaMemcpy(d_a, a, n, cudaMemcpyHostToDevice); // expect: warning host-access
    cudaMemcpy(d_a, a, n / 8 * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_a, a, sizeof(a), cudaMemcpyHostToDevice); // expect: warning host-access
    cudaMemcpy(d_a, a, (n + 1) * sizeof(double), cudaMemcpyHostToDevice); // expect: error out-of-bounds
    cudaMemcpy(d_small, a, n * sizeof(double), cudaMemcpyHostToDevice); // expect: error out-of-bounds
    double *d_parts;
    cudaMalloc(&d_parts, n * sizeof(double));
    const int part = n / 4 * sizeof(double);
    for (int i = 0; i < 4; ++i)
        cudaMemcpy((char *)d_parts + i * part, (char *)a + i * part, part, cudaMemcpyHostToDevice);
    cudaFree(d_parts);
    cudaMemset(d_a, 1000, n * sizeof(double)); // expect: warning host-access
    cudaFree(d_a);
    cudaFree(d_small);
    delete[] a;
    return 0;
}
