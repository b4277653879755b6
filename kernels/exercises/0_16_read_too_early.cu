// Exercise 0.16: Read too early
//
// *Managed* memory is for host and GPU alike, so nothing has to be copied. But then nothing waits either: a
// launch returns at once, and the host reads the number while the kernel may still be at work, or has not
// begun. Have it wait. One line is missing.
//
// The program has to print `the last one is 8`.
//
// You learn that a launch returns before its kernel has run, and how the host waits for it. About 2
// minutes.
//
// Check it:  cargo run --example exercise -- 0.16
// A hint:    cargo run --example exercise -- hint 0.16

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
    printf("the last one is %d\n", data[n - 1]);
    cudaFree(data);
}
