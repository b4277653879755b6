// Exercise 0.14: Whose pointer?
//
// The kernel leaves the sum where `sum` points, and the host prints `*sum`. But `cudaMalloc` has given an
// address in the GPU's memory, and the host follows it in its own, where nothing of the kind is: the program
// crashes. Fetch the sum into a variable of the host, and print that. (The compiler cannot warn you:
// both are `int *`.)
//
// The program has to print `the sum is 1400`.
//
// You learn that a pointer from `cudaMalloc` is for the GPU, and that the host copies from it. About 3
// minutes.
//
// Check it:  cargo run --example exercise -- 0.14
// A hint:    cargo run --example exercise -- hint 0.14

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
    printf("the sum is %d\n", *sum);
    cudaFree(sum);
    cudaFree(data);
}
