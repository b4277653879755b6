// Numbers of launches that are exchanged: each fits its data exactly the other way round.
#include <cstdio>

__global__ void plane(int *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = x + y;
}

__global__ void twice(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * i;
}

__global__ void square(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i * i;
}

int sum(const int *d, int n)
{
    static int h[65536];
    cudaMemcpy(h, d, n * sizeof(int), cudaMemcpyDeviceToHost); // expect: warning uninitialized-read
    int sum = 0;
    for (int i = 0; i < n; ++i)
        sum += h[i];
    return sum;
}

int main()
{
    const int width = 64, height = 32, large = 1024, small = 256, n = 65536;
    int *d_plane, *d_large, *d_small, *d_all;
    cudaMalloc(&d_plane, width * height * sizeof(int));
    cudaMalloc(&d_large, large * sizeof(int));
    cudaMalloc(&d_small, small * sizeof(int));
    cudaMalloc(&d_all, n * sizeof(int));

    dim3 block(16, 16), grid(height / 16, width / 16);
    plane<<<grid, block>>>(d_plane, width, height);
    if (sum(d_plane, width * height) == 1) // expect: error uninitialized-read
        printf("one\n");

    twice<<<small / 128, 128>>>(d_large, large);
    square<<<large / 128, 128>>>(d_small, small);
    if (sum(d_small, small) + sum(d_large, large) == 1) // expect: error uninitialized-read
        printf("one\n");

    square<<<32, n / 32>>>(d_all, n); // expect: error launch-limit
    if (sum(d_all, n) == 1) // expect: error uninitialized-read
        printf("one\n");
    cudaFree(d_plane);
    cudaFree(d_large);
    cudaFree(d_small);
    cudaFree(d_all);
    return 0;
}
