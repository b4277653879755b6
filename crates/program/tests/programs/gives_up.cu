// A program that gives up frees nothing, and that is not held against it.
#include <cuda_runtime.h>

int main()
{
    int *d_a;
    cudaMalloc(&d_a, 1024);
    if (cudaSetDevice(99) != cudaSuccess) {
        return 3; // returns: 3
    }
    cudaFree(d_a);
    return 0;
}
