// A loop of launches that takes longer than a program may: the launch that was not done any more is named.
#include <stdio.h>
#include <cuda_runtime.h>

__global__ void add(unsigned *sum, int rounds)
{
    for (int i = 0; i < rounds; ++i)
        *sum += i ^ *sum;
}

int main()
{
    unsigned *d_sum;
    cudaMalloc(&d_sum, sizeof(unsigned));
    cudaMemset(d_sum, 0, sizeof(unsigned));
    printf("before\n"); // prints: before
    for (int step = 0; step < 100000; ++step) {
        add<<<1, 1>>>(d_sum, 1000); // expect: error step-limit
        cudaDeviceSynchronize();
    }
    printf("behind\n");
    cudaFree(d_sum);
    return 0;
}
