#include <cstdio>

__global__ void sumOf(const int *data, int n, int *sum)
{
    int i = threadIdx.x;
    if (i < n) {
        atomicAdd(sum, data[i]);
    }
}

int main()
{
    int numbers[5] = {300, 100, 400, 100, 500};
    int *data = nullptr;
    int *sum = nullptr;
    cudaMalloc(&data, sizeof(numbers));
    cudaMalloc(&sum, sizeof(int));
    cudaMemcpy(data, numbers, sizeof(numbers), cudaMemcpyHostToDevice);
    cudaMemset(sum, 0, sizeof(int)); // all bytes 0: the number 0
    sumOf<<<1, 32>>>(data, 5, sum);
    //@ begin
    int result = 0;
    cudaMemcpy(&result, sum, sizeof(int), cudaMemcpyDeviceToHost);
    printf("the sum is %d\n", result);
    //@ stub
    //| printf("the sum is %d\n", *sum);
    //@ end
    cudaFree(sum);
    cudaFree(data);
}
