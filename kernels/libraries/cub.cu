// The sums of NVIDIA's libraries, to measure ours against: cub::DeviceReduce::Sum and thrust::reduce
// as functions that a program can load at run time (src/chapters/ch7_limit/libraries.rs). Each returns a
// cudaError_t, 0 where all is well.
//
// The stream is the caller's. The CUDA runtime works in the device's primary context, as does the caller.

#include <cub/device/device_reduce.cuh>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

// CUB counts in the type of `size`; int is the one for which it does least.
template <typename T>
static cudaError_t cubSum(void *temporary, size_t *bytes, const T *input, T *output, int size,
                          cudaStream_t stream)
{
    return cub::DeviceReduce::Sum(temporary, *bytes, input, output, size, stream);
}

// Allocates on the device, adds up, copies the sum to the host and waits for it, as thrust::reduce always
// does.
template <typename T>
static cudaError_t thrustSum(const T *input, T *output, int size, cudaStream_t stream)
{
    try {
        *output = thrust::reduce(thrust::cuda::par.on(stream), input, input + size, T(0));
        return cudaSuccess;
    } catch (const thrust::system_error &error) {
        return cudaError_t(error.code().value());
    } catch (...) {
        return cudaErrorUnknown;
    }
}

#define SUMS(SUFFIX, T)                                                                                \
    extern "C" cudaError_t cub_sum_##SUFFIX(void *temporary, size_t *bytes, const T *input, T *output, \
                                            int size, cudaStream_t stream)                             \
    {                                                                                                  \
        return cubSum(temporary, bytes, input, output, size, stream);                                  \
    }                                                                                                  \
    extern "C" cudaError_t thrust_sum_##SUFFIX(const T *input, T *output, int size, cudaStream_t stream)\
    {                                                                                                  \
        return thrustSum(input, output, size, stream);                                                 \
    }
SUMS(i32, int)
SUMS(f32, float)
SUMS(i64, long long)

// The version of CUB: 200800 is 2.8.0.
extern "C" int cub_version()
{
    return CUB_VERSION;
}
