// The last elements are copied to the device, and no thread comes to them. Nothing fails.
#include <cstdio>
#include <cstdlib>
__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
__global__ void twice(float *x)
{
    x[threadIdx.x] *= 2;
}
int main()
{
    int n = 1000;
    float *x = (float *)malloc(n * sizeof(float)), *y = (float *)malloc(n * sizeof(float));
    float *d_x, *d_y, *d_z;
    cudaMalloc(&d_x, n * sizeof(float));
    cudaMalloc(&d_y, n * sizeof(float));
    cudaMalloc(&d_z, n * sizeof(float));
    for (int i = 0; i < n; i++) {
        x[i] = 1;
        y[i] = 2;
    }
    cudaMemcpy(d_x, x, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, y, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_z, x, n * sizeof(float), cudaMemcpyHostToDevice);
    saxpy<<<n / 256, 256>>>(n, 2, d_x, d_y); // expect: note never-read
    twice<<<1, 500>>>(d_z); // half of an array may be meant
    cudaMemcpy(y, d_y, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(x, d_z, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g %g %g\n", y[0], y[999], x[499]); // prints: 4 2 2
    cudaFree(d_x);
    cudaFree(d_y);
    cudaFree(d_z);
    free(x);
    free(y);
}
