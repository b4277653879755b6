// Copies by a block together and by each thread alone, two stages deep, and one that nobody waits for.
// prints: 120 2016 2016
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void together(const int *in, int *out)
{
    __shared__ int tile[2][16];
    auto block = cg::this_thread_block();
    int sum = 0;
    cg::memcpy_async(block, tile[0], in, sizeof(tile[0]));
    for (int k = 0; k < 4; k++) {
        if (k < 3) {
            cg::memcpy_async(block, tile[(k + 1) % 2], 16, in + 16 * (k + 1), 16);
            cg::wait_prior<1>(block);
        } else {
            cg::wait(block);
        }
        for (int x : tile[k % 2]) {
            sum += x;
        }
        block.sync();
        if (k == 0 && threadIdx.x == 0) {
            out[0] = sum;
        }
    }
    out[1 + threadIdx.x] = sum;
}

__global__ void alone(const int *in, int *out)
{
    __shared__ __align__(16) int tile[64];
    if (threadIdx.x < 16) {
        __pipeline_memcpy_async(&tile[4 * threadIdx.x], &in[4 * threadIdx.x], 16);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    int sum = 0;
    for (int x : tile) {
        sum += x;
    }
    out[threadIdx.x] = sum;
}

__global__ void forgets(const int *in, int *out)
{
    __shared__ int tile[32];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in, sizeof(tile));
    block.sync();
    out[threadIdx.x] = tile[31 - threadIdx.x]; // expect: error data-race
}

int main()
{
    int *in, *out;
    cudaMallocManaged(&in, 64 * sizeof(int));
    cudaMallocManaged(&out, 64 * sizeof(int));
    for (int i = 0; i < 64; i++) {
        in[i] = i;
    }
    together<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    printf("%d %d", out[0], out[32]);
    alone<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    printf(" %d\n", out[31]);
    forgets<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
