#include <cstdio>

__global__ void countUp(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] = i;
    }
}

int main()
{
    const int n = 2048;
    static int numbers[n];
    int *data = nullptr;
    cudaMalloc(&data, n * sizeof(int));
    //@ begin
    countUp<<<(n + 255) / 256, 256>>>(data, n);
    //@ stub
    //| countUp<<<1, n>>>(data, n);
    //@ end
    cudaMemcpy(numbers, data, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(data);
    printf("the last one is %d\n", numbers[n - 1]);
}
