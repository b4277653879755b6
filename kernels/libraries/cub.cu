// The sums of NVIDIA's libraries, to measure ours against: cub::DeviceReduce::Sum and thrust::reduce
// as functions that a program can load at run time (chapters/src/ch7_limit/libraries.rs), and for chapter 6.2
// cub::DeviceSegmentedReduce (chapters/src/ch6_in_use/compare.rs). Each returns a cudaError_t, 0 where all is
// well.
//
// The example builds this with the headers that nvcc comes with. With newer ones:
//   pip install nvidia-cuda-cccl
//   nvcc -I PLACE/nvidia/cu13/include/cccl -shared -Xcompiler -fPIC -O3 -std=c++17 -arch=sm_90 \
//        -o libcub.so kernels/libraries/cub.cu
//   WORKBOOK_LIBRARIES=libcub.so cargo run --example ch7_limit
//
// The stream is the caller's. The CUDA runtime works in the device's primary context, as does the caller.

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cuda_fp16.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>

// CUB counts in the type of `size`; int is the one for which it does least.
template <typename T>
static cudaError_t cubSum(void *temporary, size_t *bytes, const T *input, T *output, int size,
                          cudaStream_t stream)
{
    return cub::DeviceReduce::Sum(temporary, *bytes, input, output, size, stream);
}

// CUB 3.5 can be asked for less than its default, the same sum in every run on one GPU, or for more.
// (The request itself is older; earlier versions are not tested here.)
#if CUB_VERSION >= 300500
#include <cuda/__execution/determinism.h>
#include <cuda/__execution/require.h>
#include <cuda/memory_resource>
#include <cuda/stream_ref>
#include <new>

// Such a sum asks for its temporary memory in every call. It gets the caller's, so that no call
// allocates. If the caller has none yet, this stores how many bytes are wanted and refuses.
struct CallersMemory {
    void *memory;
    size_t *bytes;

    void *allocate_sync(size_t wanted, size_t = 0)
    {
        if (memory == nullptr || wanted > *bytes) {
            *bytes = wanted;
            throw std::bad_alloc();
        }
        return memory;
    }
    void *allocate(cuda::stream_ref, size_t wanted, size_t = 0) { return allocate_sync(wanted); }
    void deallocate_sync(void *, size_t, size_t = 0) noexcept {}
    void deallocate(cuda::stream_ref, void *, size_t, size_t = 0) noexcept {}
    bool operator==(const CallersMemory &other) const { return memory == other.memory; }
    bool operator!=(const CallersMemory &other) const { return memory != other.memory; }
};

template <typename T, typename Determinism>
static cudaError_t cubSumBy(Determinism determinism, void *temporary, size_t *bytes, const T *input,
                            T *output, int size, cudaStream_t stream)
{
    CallersMemory memory{temporary, bytes};
    auto environment = cuda::std::execution::env{
        cuda::stream_ref{stream}, cuda::execution::require(determinism),
        cuda::std::execution::prop{cuda::mr::get_memory_resource, memory}};
    cudaError_t error = cub::DeviceReduce::Sum(input, output, size, environment);
    return temporary == nullptr && *bytes > 0 ? cudaSuccess : error;
}

#define SUM_BY(NAME, T, DETERMINISM)                                                                   \
    extern "C" cudaError_t NAME(void *temporary, size_t *bytes, const T *input, T *output, int size,   \
                                cudaStream_t stream)                                                   \
    {                                                                                                  \
        return cubSumBy(cuda::execution::determinism::DETERMINISM, temporary, bytes, input, output,    \
                        size, stream);                                                                 \
    }
// Atomic additions in any order: one kernel.
SUM_BY(cub_not_guaranteed_i32, int, not_guaranteed)
SUM_BY(cub_not_guaranteed_f32, float, not_guaranteed)
SUM_BY(cub_not_guaranteed_i64, long long, not_guaranteed)
// The same bits on every GPU. For whole numbers any sum has them.
SUM_BY(cub_gpu_to_gpu_f32, float, gpu_to_gpu)
#endif

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

// One sum per row, in float. A row begins at a multiple of `columns`; int is the type of offsets for which
// CUB does least, so there are less than 2^31 elements.
struct InFloat {
    __host__ __device__ float operator()(float first, float second) const { return first + second; }
};
struct Start {
    int columns;
    __host__ __device__ int operator()(int row) const { return row * columns; }
};
template <typename T>
static cudaError_t cubRows(void *temporary, size_t *bytes, const T *input, float *output, int rows,
                           int columns, cudaStream_t stream)
{
    auto start = thrust::make_transform_iterator(thrust::make_counting_iterator(0), Start{columns});
    return cub::DeviceSegmentedReduce::Reduce(temporary, *bytes, input, output, rows, start, start + 1,
                                              InFloat{}, 0.0f, stream);
}

// CUB 3.5 has another way where all rows have the same length.
template <typename T>
static cudaError_t cubRowsOfOneLength(void *temporary, size_t *bytes, const T *input, float *output,
                                      int rows, int columns, cudaStream_t stream)
{
#if CUB_VERSION >= 300500
    return cub::DeviceSegmentedReduce::Reduce(temporary, *bytes, input, output, rows, columns, InFloat{},
                                              0.0f, stream);
#else
    return cudaErrorNotSupported;
#endif
}

#define ROWS(SUFFIX, T)                                                                                \
    extern "C" cudaError_t cub_rows_##SUFFIX(void *temporary, size_t *bytes, const T *input,           \
                                             float *output, int rows, int columns, cudaStream_t stream)\
    {                                                                                                  \
        return cubRows(temporary, bytes, input, output, rows, columns, stream);                        \
    }                                                                                                  \
    extern "C" cudaError_t cub_rows_of_one_length_##SUFFIX(void *temporary, size_t *bytes,             \
                                                           const T *input, float *output, int rows,    \
                                                           int columns, cudaStream_t stream)           \
    {                                                                                                  \
        return cubRowsOfOneLength(temporary, bytes, input, output, rows, columns, stream);             \
    }
ROWS(f32, float)
ROWS(f16, __half)

// The version of CUB: 200800 is 2.8.0.
extern "C" int cub_version()
{
    return CUB_VERSION;
}
