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
    const int n = 5;
    int *data = nullptr;
    cudaMallocManaged(&data, n * sizeof(int)); // for both: host and GPU
    for (int i = 0; i < n; i++) {
        data[i] = i;
    }
    twice<<<1, 32>>>(data, n);
    //@ begin
    cudaDeviceSynchronize();
    //@ stub
    //@ end
    printf("the last one is %d\n", data[n - 1]);
    cudaFree(data);
}
