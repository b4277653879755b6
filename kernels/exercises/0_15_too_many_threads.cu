// Exercise 0.15: A launch that nobody asked about
//
// One block of 2,048 threads: there is no such block. A block has at most 1,024, so the GPU does not start
// this kernel at all. CUDA doesn't say so by itself. The program goes on, copies what was in memory before,
// and prints that as its result. Start as many threads in blocks of at most 1,024.
//
// The program has to print `the last one is 2047`.
//
// You learn that a launch may fail in silence, and how to ask. About 3 minutes.
//
// Check it:  cargo run --example exercise -- 0.15
// A hint:    cargo run --example exercise -- hint 0.15

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
    countUp<<<1, n>>>(data, n);
    cudaMemcpy(numbers, data, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(data);
    printf("the last one is %d\n", numbers[n - 1]);
}
