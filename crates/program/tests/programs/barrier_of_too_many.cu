// A cuda::barrier that is initialised with the threads of a grid, not with those of its block.
#include <cuda/barrier>

__global__ void waits(int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    if (threadIdx.x == 0) {
        init(&ready, gridDim.x * blockDim.x);
    }
    __syncthreads();
    ready.arrive_and_wait(); // expect: error deadlock
    out[threadIdx.x] = 1;
}

int main()
{
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    waits<<<2, 64>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
