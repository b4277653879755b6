// The thread before the first reads in front of the first array of all.
#include <cuda_runtime.h>

__global__ void shift(const int *in, int *out)
{
    int i = threadIdx.x;
    out[i] = in[i - 1]; // expect: error out-of-bounds
}

int main()
{
    int numbers[32] = {0};
    int *d_in;
    int *d_out;
    cudaMalloc(&d_in, sizeof(numbers));
    cudaMalloc(&d_out, sizeof(numbers));
    cudaMemcpy(d_in, numbers, sizeof(numbers), cudaMemcpyHostToDevice);
    shift<<<1, 32>>>(d_in, d_out);
    cudaMemcpy(numbers, d_out, sizeof(numbers), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
