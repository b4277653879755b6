// CUB's sums of rows, to measure ours against, as functions that a program can load at run time
// (chapters/src/ch4_ragged/cub.rs). Each returns a cudaError_t, 0 where all is well.
//
// The example builds this with the headers that nvcc comes with. With newer ones:
//   pip install nvidia-cuda-cccl
//   nvcc -I PLACE/nvidia/cu13/include/cccl -shared -Xcompiler -fPIC -O3 -std=c++17 -arch=sm_90 \
//        -o libcubrows.so kernels/libraries/cub_rows.cu
//   WORKBOOK_CUB_ROWS=libcubrows.so cargo run --example ch4_ragged
//
// The stream is the caller's. The CUDA runtime works in the device's primary context, as does the caller.

#include <cub/device/device_segmented_reduce.cuh>
#include <cub/version.cuh>

// Row r has the elements offsets[r] up to offsets[r + 1].
#define SUMS(SUFFIX, T)                                                                                \
    extern "C" cudaError_t cub_row_sums_##SUFFIX(void *temporary, size_t *bytes, const T *values,      \
                                                 const unsigned int *offsets, T *sums, int rows,       \
                                                 cudaStream_t stream)                                  \
    {                                                                                                  \
        return cub::DeviceSegmentedReduce::Sum(temporary, *bytes, values, sums, rows, offsets,         \
                                               offsets + 1, stream);                                   \
    }
SUMS(i32, int)
SUMS(f32, float)

// The version of CUB: 200800 is 2.8.0.
extern "C" int cub_version()
{
    return CUB_VERSION;
}
