// Device memory that is never freed: a note.
#include <cuda_runtime.h>

int main()
{
    float *d_a;
    cudaMalloc(&d_a, 1024); // expect: note host-access
    cudaMemset(d_a, 0, 1024);
    cudaDeviceSynchronize();
    return 0;
}
