// Shared memory at strides, in words of 4, 8 and 16 bytes: how often do lanes meet in a bank?
// Measured with ncu (h200.csv), counted by the simulator (tests/simulator/ncu.rs).

#include <cstdio>

extern "C" __global__ void bank4(int *out, int stride)
{
    __shared__ int words[4096];
    words[threadIdx.x * stride & 4095] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x * stride & 4095];
}

extern "C" __global__ void bank8(long long *out, int stride)
{
    __shared__ long long words[2048];
    words[threadIdx.x * stride & 2047] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x * stride & 2047];
}

extern "C" __global__ void bank16(int4 *out, int stride)
{
    __shared__ int4 words[1024];
    words[threadIdx.x * stride & 1023] = make_int4(1, 2, 3, threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x * stride & 1023];
}

int main()
{
    void *out;
    cudaMalloc(&out, 1 << 20);
    for (int stride : {0, 1, 2, 3, 4, 8, 16, 32, 33}) {
        bank4<<<1, 64>>>((int *)out, stride);
        bank8<<<1, 64>>>((long long *)out, stride);
        bank16<<<1, 64>>>((int4 *)out, stride);
    }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
