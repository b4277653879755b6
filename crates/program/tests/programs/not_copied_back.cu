// The result is printed before it is copied back.
// ANCHOR: program
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

__global__ void fill(int *out)
{
    out[threadIdx.x] = threadIdx.x;
}

int main()
{
    int *result = (int *)malloc(32 * sizeof(int));
    int *d_result;
    cudaMalloc(&d_result, 32 * sizeof(int));
    fill<<<1, 32>>>(d_result); // expect: note host-access
    cudaDeviceSynchronize();
    printf("%d\n", result[7]); // expect: error uninitialized-read, prints: -842150451
    int sum = 0;
    for (int i = 0; i < 32; ++i)
        sum += result[i];
    if (sum == 496) // expect: error uninitialized-read
        printf("right\n");
    cudaFree(d_result);
    free(result);
    return 0;
}
// ANCHOR_END: program
