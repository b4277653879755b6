// Grids of so many threads that no number counts them, and nobody asks.
#include <cuda_runtime.h>

__global__ void fill(int *out)
{
    out[threadIdx.x] = threadIdx.x;
}

int main()
{
    const unsigned most = 4294967295u;
    int *d_out;
    cudaMalloc(&d_out, 4096 * sizeof(int));
    fill<<<dim3(most, most, most), dim3(most, most, most)>>>(d_out); // expect: error launch-limit
    void *args[] = {&d_out};
    cudaLaunchCooperativeKernel((void *)fill, dim3(most, most, most), 32, args); // expect: error launch-limit
    cudaFree(d_out);
    return 0;
}
