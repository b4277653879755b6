#include <cstdio>

__global__ void twice(int *data, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        data[i] = 2 * data[i];
    }
}

int main()
{
    int numbers[5] = {3, 1, 4, 1, 5};
    int *data = nullptr;
    cudaMalloc(&data, sizeof(numbers));
    cudaMemcpy(data, numbers, sizeof(numbers), cudaMemcpyHostToDevice);
    twice<<<1, 32>>>(data, 5);
    //@ begin
    cudaMemcpy(numbers, data, sizeof(numbers), cudaMemcpyDeviceToHost);
    //@ stub
    //@ end
    cudaFree(data);
    for (int i = 0; i < 5; i++) {
        printf("%d\n", numbers[i]);
    }
}
