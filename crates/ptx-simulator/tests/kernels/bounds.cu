// Accesses that leave their buffer. The line that a launch of the kernel must name says `expect`.
#include <cuda_runtime.h>

extern "C" __global__ void oneTooFar(const int* in, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] + in[i + 1]; // expect: out-of-bounds
}

extern "C" __global__ void oneBefore(const int* in, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i - 1] = in[i]; // expect: out-of-bounds
}

// 4 bytes of an 8-byte load lie inside.
extern "C" __global__ void halfOutside(const int* in, int* out, int n)
{
    const long long* pairs = (const long long*)in;
    out[threadIdx.x] = (int)pairs[(n - 1) / 2]; // expect: out-of-bounds
}

extern "C" __global__ void farAway(int* data, long long offset)
{
    data[offset + threadIdx.x] = 1; // expect: out-of-bounds
}

extern "C" __global__ void nullPointer(int* data)
{
    data[threadIdx.x] = 1; // expect: out-of-bounds
}

extern "C" __global__ void useAfterFree(int* data)
{
    data[threadIdx.x] += 1; // expect: use-after-free
}

static __device__ int at(const int* data, int i)
{
    return data[i]; // expect: out-of-bounds
}

extern "C" __global__ void inAHelper(const int* data, int* out, int n)
{
    out[0] = at(data, n);
}

// The access itself stands in a header of CUDA: the line to name is the reader's.
extern "C" __global__ void inAHeader(int* data, int n)
{
    atomicAdd(data + n + threadIdx.x, 1); // expect: out-of-bounds
}

extern "C" __global__ void sharedTooFar(int* out)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x + 1]; // expect: out-of-bounds
}

extern "C" __global__ void dynamicSharedTooFar(int* out)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = threadIdx.x; // expect: out-of-bounds
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__device__ int table[4] = {1, 2, 3, 4};

extern "C" __global__ void variableTooFar(int* out)
{
    out[threadIdx.x] = table[threadIdx.x]; // expect: out-of-bounds
}
