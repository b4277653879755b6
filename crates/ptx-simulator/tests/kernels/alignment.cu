// Accesses at addresses that are no multiple of their size.
#include <cuda_runtime.h>

extern "C" __global__ void misalignedInt(const char* bytes, int* out)
{
    out[threadIdx.x] = *(const int*)(bytes + 4 * threadIdx.x + 2); // expect: misaligned
}

extern "C" __global__ void misalignedVector(const float* values, float* out)
{
    float4 four = *(const float4*)(values + 4 * threadIdx.x + 2); // expect: misaligned
    out[threadIdx.x] = four.x + four.y + four.z + four.w;
}

extern "C" __global__ void misalignedShared(int* out)
{
    __shared__ alignas(8) char bytes[64];
    bytes[threadIdx.x] = (char)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = *(const short*)(bytes + threadIdx.x + 1); // expect: misaligned
}

extern "C" __global__ void misalignedAtomic(char* bytes)
{
    atomicAdd((unsigned long long*)(bytes + 4), 1ull); // expect: misaligned
}
