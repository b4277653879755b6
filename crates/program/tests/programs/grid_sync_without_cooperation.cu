// A barrier of the whole grid in an ordinary launch, and in a cooperative one.
// prints: 96 96
#include <cooperative_groups.h>
#include <cstdio>

__global__ void sums(int *parts, int *sum)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = 32 * (blockIdx.x + 1);
    }
    grid.sync();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *sum = parts[0] + parts[1];
    }
}

int main()
{
    int *parts, *sum, first, second;
    cudaMalloc(&parts, 2 * sizeof(int));
    cudaMalloc(&sum, sizeof(int));
    sums<<<2, 32>>>(parts, sum); // expect: warning launch-limit
    cudaMemcpy(&first, sum, sizeof(int), cudaMemcpyDeviceToHost);
    void *arguments[] = {&parts, &sum};
    cudaLaunchCooperativeKernel((void *)sums, dim3(2), dim3(32), arguments, 0, 0);
    cudaMemcpy(&second, sum, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %d\n", first, second);
    cudaFree(parts);
    cudaFree(sum);
}
