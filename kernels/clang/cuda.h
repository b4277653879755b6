// What the kernels of this workbook use of CUDA and of C, for clang. It stands in for NVIDIA's headers where there is
// no nvcc; clang reads it before each source that has no main. A source that has one reads host/program.h instead.

#pragma once

#include "device.h"
#include "intrinsics.h"
#define WB_MATHEMATICS __device__
#include "mathematics.h"

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

#define WB_ONE(name)                                                                                                   \
    WB_DEVICE float name(float x) { return name##f(x); }                                                               \
    WB_DEVICE double name(int x) { return name((double)x); }
#define WB_TWO(name)                                                                                                   \
    WB_DEVICE float name(float x, float y) { return name##f(x, y); }                                                   \
    WB_DEVICE double name(float x, double y) { return name((double)x, y); }                                            \
    WB_DEVICE double name(double x, float y) { return name(x, (double)y); }
WB_ONE(acos)
WB_ONE(acosh)
WB_ONE(asin)
WB_ONE(asinh)
WB_ONE(atan)
WB_ONE(atanh)
WB_ONE(cbrt)
WB_ONE(cos)
WB_ONE(cosh)
WB_ONE(erf)
WB_ONE(erfc)
WB_ONE(exp)
WB_ONE(exp2)
WB_ONE(expm1)
WB_ONE(lgamma)
WB_ONE(log)
WB_ONE(log10)
WB_ONE(log1p)
WB_ONE(log2)
WB_ONE(logb)
WB_ONE(round)
WB_ONE(sin)
WB_ONE(sinh)
WB_ONE(tan)
WB_ONE(tanh)
WB_ONE(tgamma)
WB_TWO(atan2)
WB_TWO(fdim)
WB_TWO(fmod)
WB_TWO(hypot)
WB_TWO(nextafter)
WB_TWO(pow)
WB_TWO(remainder)
#undef WB_ONE
#undef WB_TWO
WB_DEVICE double pow(double x, int y) { return pow(x, (double)y); }
WB_DEVICE double pow(float x, int y) { return pow((double)x, (double)y); }
WB_DEVICE double pow(int x, int y) { return pow((double)x, (double)y); }
WB_DEVICE float rsqrtf(float x) { return 1 / __builtin_sqrtf(x); }
WB_DEVICE double rsqrt(double x) { return 1 / __builtin_sqrt(x); }
WB_DEVICE float rsqrt(float x) { return rsqrtf(x); }
WB_DEVICE float copysignf(float x, float sign) { return __builtin_copysignf(x, sign); }
WB_DEVICE double copysign(double x, double sign) { return __builtin_copysign(x, sign); }
WB_DEVICE float rintf(float x) { return __builtin_rintf(x); }
WB_DEVICE double rint(double x) { return __builtin_rint(x); }
WB_DEVICE float rint(float x) { return __builtin_rintf(x); }
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define M_PI 3.14159265358979323846

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
