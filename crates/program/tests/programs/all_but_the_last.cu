// The element that ends an array is copied to the device, and no thread is to read it.
#include <cstdio>
__global__ void twice(float *x)
{
    x[threadIdx.x] *= 2;
}
int main()
{
    float ended[33] = {1, 2, 3}, *d_ended;
    cudaMalloc(&d_ended, sizeof(ended));
    cudaMemcpy(d_ended, ended, sizeof(ended), cudaMemcpyHostToDevice);
    twice<<<1, 32>>>(d_ended);
    cudaMemcpy(ended, d_ended, sizeof(ended), cudaMemcpyDeviceToHost);
    printf("%g\n", ended[2]); // prints: 6
    cudaFree(d_ended);
}
