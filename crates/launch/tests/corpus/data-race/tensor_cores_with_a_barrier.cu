// A sum by tensor cores: a matrix of ones times the data, of which each column gives its sum.
// expect: clean
//@ launch sum<<<1, 128>>> buf:f16:iota*256 buf:f32:zeros*16
//@ expect 1 = f32:1920,1936,1952,uninit*13
#include <mma.h>
using namespace nvcuda::wmma;
extern "C" __global__ void sum(const half* in, float* out) {
    __shared__ __align__(32) half tile[256];
    __shared__ __align__(32) float sums[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) tile[i] = in[i];
    __syncthreads();
    if (threadIdx.x >= 32) return;
    fragment<matrix_a, 16, 16, 16, half, row_major> ones;
    fragment<matrix_b, 16, 16, 16, half, row_major> data;
    fragment<accumulator, 16, 16, 16, float> columns;
    fill_fragment(ones, __float2half(1.0f));
    fill_fragment(columns, 0.0f);
    load_matrix_sync(data, tile, 16);
    mma_sync(columns, ones, data, columns);
    store_matrix_sync(sums, columns, 16, mem_row_major);
    __syncwarp();
    if (threadIdx.x < 16) out[threadIdx.x] = sums[threadIdx.x];
}
