// The second allocation of the line is too small; the index before the first of all is its own, and no host's.
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
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize())); // prints: an illegal memory access was encountered
    cudaFree(d_in);
    cudaFree(d_out);
    free(numbers);
    return 0;
}
