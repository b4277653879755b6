// Exercise 0.12: There and back
//
// This is a whole program, host and kernel. It copies five numbers to the GPU, where the kernel doubles
// them. But it prints them as they were. Nothing is wrong with the kernel, nor with its launch: the doubled
// numbers are on the GPU, and the host prints its own. One line is missing.
//
// The program has to print `6`, `2`, `8`, `2`, `10`.
//
// You learn that host and GPU each have a memory of their own, and that results have to be fetched. About
// 3 minutes.
//
// Check it:  cargo run --example exercise -- 0.12
// A hint:    cargo run --example exercise -- hint 0.12

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
    cudaFree(data);
    for (int i = 0; i < 5; i++) {
        printf("%d\n", numbers[i]);
    }
}
