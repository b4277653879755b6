// Exercise 0.13: How many bytes?
//
// The program means to allocate room for twelve numbers, copy them, double them and copy them back. But CUDA
// counts bytes, and an `int` has four of them. Here the GPU gets twelve bytes, which is room for three
// numbers, and the kernel works on twelve. Mend the line that says how many.
//
// The program has to print `the last one is 16`.
//
// You learn that `cudaMalloc` and `cudaMemcpy` count bytes, and not elements. About 2 minutes.
//
// Check it:  cargo run --example exercise -- 0.13
// A hint:    cargo run --example exercise -- hint 0.13

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
    const size_t bytes = n;
    int *data = nullptr;
    cudaMalloc(&data, bytes);
    cudaMemcpy(data, numbers, bytes, cudaMemcpyHostToDevice);
    twice<<<1, 32>>>(data, n);
    cudaMemcpy(numbers, data, bytes, cudaMemcpyDeviceToHost);
    cudaFree(data);
    printf("the last one is %d\n", numbers[n - 1]);
}
