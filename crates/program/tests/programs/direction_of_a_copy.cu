// Copies whose direction is not that of their pointers, and one of a pointer itself.
#include <cstdio>

__global__ void add(int *sum) { atomicAdd(sum, 7); }

int main()
{
    int result = 0;
    int *sum;
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(sum, 0, sizeof(int));
    add<<<1, 32>>>(sum);
    cudaMemcpy(sum, &result, sizeof(int), cudaMemcpyDeviceToHost); // expect: error host-access
    cudaMemcpy(&result, sum, sizeof(int), cudaMemcpyHostToDevice); // expect: error host-access
    cudaMemcpy(&result, sum, sizeof(int), cudaMemcpyHostToHost); // expect: error host-access
    cudaMemcpy(&result, &sum, sizeof(int), cudaMemcpyDeviceToHost); // expect: error host-access
    printf("%d\n", result); // prints: 0
    cudaMemcpy(&result, sum, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", result); // prints: 224
    cudaFree(sum);
    return 0;
}
