#include <cstdio>

__global__ void twice(int *data, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        data[i] = 2 * data[i];
    }
}

const int n = 12;
int numbers[n] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};

int main()
{
    //@ begin
    const size_t bytes = n * sizeof(int);
    //@ stub
    //| const size_t bytes = n;
    //@ end
    int *data = nullptr;
    cudaMalloc(&data, bytes);
    cudaMemcpy(data, numbers, bytes, cudaMemcpyHostToDevice);
    twice<<<1, 32>>>(data, n);
    cudaMemcpy(numbers, data, bytes, cudaMemcpyDeviceToHost);
    cudaFree(data);
    printf("the last one is %d\n", numbers[n - 1]);
}
