// What programs use of helper_cuda.h of NVIDIA's samples (cuda-samples, Common/), in our words: read only where the
// program has none beside it.

#pragma once
#pragma GCC system_header

#include <stdio.h>
#include <stdlib.h>

inline void wb_check(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\"\n", file, line, (int)error, cudaGetErrorName(error), call);
    exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) wb_check((call), #call, __FILE__, __LINE__)

inline void wb_check_last(const char *message, const char *file, int line, bool ends)
{
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s(%d) : CUDA error : %s : (%d) %s.\n", file, line, message, (int)error, cudaGetErrorString(error));
    if (ends)
        exit(EXIT_FAILURE);
}
#define getLastCudaError(message) wb_check_last(message, __FILE__, __LINE__, true)
#define printLastCudaError(message) wb_check_last(message, __FILE__, __LINE__, false)

// In this file, whose path is nobody's.
#define WB_CHECKED(call) wb_check((call), #call, "helper_cuda.h", __LINE__)

inline const char *_cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }
inline int gpuGetMaxGflopsDeviceId() { return 0; }
inline int gpuDeviceInit(int device)
{
    WB_CHECKED(cudaSetDevice(device));
    return device;
}

// The device of --device=N, else the first.
inline int findCudaDevice(int argc, const char **argv)
{
    int device = 0;
    for (int i = 1; i < argc; ++i)
        sscanf(argv[i], "%*[-]device=%d", &device);
    gpuDeviceInit(device);
    cudaDeviceProp properties;
    WB_CHECKED(cudaGetDeviceProperties(&properties, device));
    printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device, properties.name, properties.major,
           properties.minor);
    return device;
}

inline bool checkCudaCapabilities(int major, int minor)
{
    cudaDeviceProp properties;
    WB_CHECKED(cudaGetDeviceProperties(&properties, 0));
    return properties.major > major || (properties.major == major && properties.minor >= minor);
}

#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
