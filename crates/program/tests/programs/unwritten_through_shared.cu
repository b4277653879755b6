// Half of the input was never written; its sum passes through shared memory before it matters.
#include <cuda_runtime.h>

__global__ void sum(const int *in, int *out)
{
    __shared__ int partial[32];
    unsigned t = threadIdx.x;
    // The second half is read here, and nothing has written it.
    partial[t] = in[t] + in[t + 32];
    __syncthreads();
    for (unsigned stride = 16; stride > 0; stride /= 2) {
        if (t < stride)
            partial[t] += partial[t + stride];
        __syncthreads();
    }
    if (t == 0)
        *out = partial[0]; // expect: error uninitialized-read
}

int main()
{
    int *d_in, *d_out;
    cudaMalloc(&d_in, 64 * sizeof(int));
    cudaMalloc(&d_out, sizeof(int));
    cudaMemset(d_in, 0, 32 * sizeof(int));
    sum<<<1, 32>>>(d_in, d_out); // expect: note host-access
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
