// Bytes where numbers are meant: a maximum begins with the lowest byte of INT_MIN, and of a constant
// as many bytes are copied as it has elements.
#include <climits>
#include <cstdio>

__constant__ int weights[4];

__global__ void greatest(const int *in, int *result)
{
    atomicMax(result, in[threadIdx.x] * weights[threadIdx.x % 4]); // expect: error uninitialized-read
}

int main()
{
    const int n = 64;
    int numbers[n];
    for (int i = 0; i < n; i++)
        numbers[i] = -1 - i;
    int factors[4] = {1, 2, 3, 4};
    int *in;
    int *result;
    cudaMalloc(&in, sizeof numbers);
    cudaMalloc(&result, sizeof(int));
    cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    cudaMemset(result, INT_MIN, sizeof(int)); // expect: warning host-access
    cudaMemcpyToSymbol(weights, factors, 4); // expect: warning host-access
    greatest<<<1, n>>>(in, result);
    int found;
    cudaMemcpy(&found, result, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", found); // prints: 0
    cudaFree(in);
    cudaFree(result);
}
