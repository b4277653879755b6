// The second allocation of the line is too small.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

__global__ void copy(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x]; // expect: error out-of-bounds
}

int main()
{
    int *numbers = (int *)calloc(64, sizeof(int)), *d_in, *d_out;
    cudaMalloc(&d_in, 64 * sizeof(int)); cudaMalloc(&d_out, 60 * sizeof(int));
    cudaMemcpy(d_in, numbers, 64 * sizeof(int), cudaMemcpyHostToDevice);
    copy<<<1, 64>>>(d_in, d_out);
    printf("%d\n", cudaDeviceSynchronize()); // prints: 700
    cudaFree(d_in);
    cudaFree(d_out);
    free(numbers);
    return 0;
}
