// What the kernels of this workbook use of CUDA and of C, for clang. It stands in for NVIDIA's headers where there is
// no nvcc; clang reads it before each source that has no main. A source that has one reads host/program.h instead.

#pragma once

#include "device.h"

// ---- numbers

#define WB_FLOATING(type, suffix)                                                                                      \
    WB_BOTH type fmin##suffix(type a, type b) { return __builtin_fmin##suffix(a, b); }                                 \
    WB_BOTH type fmax##suffix(type a, type b) { return __builtin_fmax##suffix(a, b); }                                 \
    WB_BOTH type fabs##suffix(type x) { return __builtin_fabs##suffix(x); }                                            \
    WB_BOTH type floor##suffix(type x) { return __builtin_floor##suffix(x); }                                          \
    WB_BOTH type ceil##suffix(type x) { return __builtin_ceil##suffix(x); }                                            \
    WB_BOTH type trunc##suffix(type x) { return __builtin_trunc##suffix(x); }                                          \
    WB_BOTH type sqrt##suffix(type x) { return __builtin_sqrt##suffix(x); }                                            \
    WB_BOTH type fma##suffix(type a, type b, type c) { return __builtin_fma##suffix(a, b, c); }
WB_FLOATING(float, f)
WB_FLOATING(double, )
#undef WB_FLOATING
WB_BOTH float fabs(float x) { return __builtin_fabsf(x); }
WB_BOTH float sqrt(float x) { return __builtin_sqrtf(x); }
WB_BOTH int abs(int x) { return x < 0 ? -x : x; }
WB_BOTH long long abs(long long x) { return x < 0 ? -x : x; }
WB_BOTH float abs(float x) { return __builtin_fabsf(x); }
WB_BOTH double abs(double x) { return __builtin_fabs(x); }
WB_BOTH bool isnan(double x) { return __builtin_isnan(x); }
WB_BOTH bool isinf(double x) { return __builtin_isinf(x); }

// ---- printing, memory, and what else is called

extern "C" {
__device__ int vprintf(const char *format, const char *arguments);
__device__ int printf(const char *format, ...);
__device__ void *malloc(size_t bytes);
__device__ void free(void *address);
__device__ __attribute__((noreturn)) void __assertfail(const char *message, const char *file, unsigned int line,
                                                       const char *function, size_t size);
}
#define assert(holds) ((holds) ? (void)0 : __assertfail(#holds, __FILE__, __LINE__, __func__, 1))
WB_DEVICE void *memcpy(void *to, const void *from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }
WB_DEVICE void *memset(void *to, int value, size_t bytes) { return __builtin_memset(to, value, bytes); }

// ---- launches from a kernel

enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorLaunchPendingCountExceeded = 69,
};
typedef struct CUstream_st *cudaStream_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef unsigned long long cudaGraphConditionalHandle;
#define cudaStreamTailLaunch ((cudaStream_t)3)
#define cudaStreamFireAndForget ((cudaStream_t)4)
#define cudaStreamNonBlocking 1
extern "C" {
// What clang makes of kernel<<<grid, block, bytes, stream>>>(…); the first is what a host would call.
int cudaConfigureCall(dim3 grid, dim3 block, size_t shared_bytes = 0, cudaStream_t stream = 0);
__device__ void *cudaGetParameterBuffer(size_t alignment, size_t size);
__device__ cudaError_t cudaLaunchDevice(void *kernel, void *parameters, dim3 grid, dim3 block,
                                        unsigned int shared_bytes = 0, cudaStream_t stream = 0);
__device__ cudaError_t cudaGetLastError();
__device__ cudaError_t cudaPeekAtLastError();
__device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);
__device__ cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
__device__ cudaError_t cudaStreamDestroy(cudaStream_t stream);
__device__ cudaError_t cudaMalloc(void **address, size_t bytes);
__device__ cudaError_t cudaFree(void *address);
__device__ cudaError_t cudaMemsetAsync(void *address, int value, size_t bytes, cudaStream_t stream = 0);
}

template <typename T> WB_DEVICE cudaError_t cudaMalloc(T **address, size_t bytes)
{
    return cudaMalloc((void **)address, bytes);
}

#undef WB_BOTH
