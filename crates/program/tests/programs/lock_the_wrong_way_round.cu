// 1 says that the lock is free: who gets it is given 1 back, tries again, finds it taken,
// and goes on. So does everybody else.
#include <cuda_runtime.h>

__global__ void count(int *lock, int *counter)
{
    while (atomicCAS(lock, 1, 0) != 0) {
    }
    *counter += 1; // expect: error data-race
    __threadfence();
    atomicExch(lock, 1);
}

int main()
{
    int *memory;
    int start[] = {1, 0};
    cudaMalloc(&memory, sizeof start);
    cudaMemcpy(memory, start, sizeof start, cudaMemcpyHostToDevice);
    count<<<4, 1>>>(memory, memory + 1);
    cudaMemcpy(start, memory, sizeof start, cudaMemcpyDeviceToHost);
    cudaFree(memory);
}
