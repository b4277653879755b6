// Each launch has orders to try: after a while the next ones run in one order only.
#include <stdio.h>
#include <cuda_runtime.h>

__global__ void count(int *total)
{
    atomicAdd(total, 1);
}

int main()
{
    int *d_total;
    int total;
    cudaMalloc(&d_total, sizeof(int));
    cudaMemset(d_total, 0, sizeof(int));
    for (int step = 0; step < 50; ++step)
        count<<<4, 1>>>(d_total);
    cudaMemcpy(&total, d_total, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", total); // prints: 200
    cudaFree(d_total);
    return 0;
}
