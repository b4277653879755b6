// Parts of a GPU that the simulator does not have: it refuses each by name, at the line that uses it.

#include <mma.h>

extern "C" __global__ void tensorCores(const signed char *a, int *c)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, signed char, row_major> rows;
    fragment<matrix_b, 16, 16, 16, signed char, col_major> columns;
    fragment<accumulator, 16, 16, 16, int> sum;
    fill_fragment(sum, 0);
    load_matrix_sync(rows, a, 16); // tensorCores
    load_matrix_sync(columns, a, 16);
    mma_sync(sum, rows, columns, sum);
    store_matrix_sync(c, sum, 16, mem_row_major);
}

extern "C" __global__ void texture(cudaTextureObject_t from, float *to)
{
    to[threadIdx.x] = tex2D<float>(from, threadIdx.x + 0.5f, 0.5f); // texture
}

extern "C" __global__ void surface(float value, cudaSurfaceObject_t to)
{
    surf2Dwrite(value, to, threadIdx.x * sizeof(float), 0); // surface
}

// Inline, since the headers' function for it would need the arguments' type of the driver.
extern "C" __global__ void tensorMap(unsigned long long map, int *to)
{
    __shared__ alignas(128) int tile[64];
    __shared__ alignas(8) unsigned long long barrier;
    unsigned tileAt = __cvta_generic_to_shared(tile), barrierAt = __cvta_generic_to_shared(&barrier);
    // clang-format off
    asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2}], [%3];"
                 :: "r"(tileAt), "l"(map), "r"(0), "r"(barrierAt) : "memory"); // tensorMap
    // clang-format on
    to[threadIdx.x] = tile[threadIdx.x];
}
