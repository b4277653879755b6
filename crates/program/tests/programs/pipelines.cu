// cuda::pipeline: of a thread, of a block, of producers and consumers, and one that is read too early.
// prints: 1792 2240, 2296 2040 1792
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <cstdio>

namespace cg = cooperative_groups;

constexpr int ROUNDS = 8;

__global__ void alone(const int *in, int *out)
{
    __shared__ int tile[2][64];
    auto pipe = cuda::make_pipeline();
    int sum = 0;
    for (int next = 0, now = 0; now < ROUNDS; now++) {
        for (; next < ROUNDS && next < now + 2; next++) {
            pipe.producer_acquire();
            int *to = &tile[next % 2][threadIdx.x];
            cuda::memcpy_async(to, &in[next * 64 + threadIdx.x], sizeof(int), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += tile[now % 2][threadIdx.x];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

__global__ void together(const int *in, int *out, bool waits)
{
    __shared__ int tile[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int next = 0, now = 0; now < ROUNDS; now++) {
        for (; next < ROUNDS && next < now + 2; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[next % 2], in + next * 64, 256, pipe); // expect: error data-race
            pipe.producer_commit();
        }
        if (waits) {
            pipe.consumer_wait();
        }
        sum += tile[now % 2][63 - threadIdx.x];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

__global__ void divided(const int *in, int *out)
{
    __shared__ int tile[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state, role);
    int lane = threadIdx.x % 32;
    int sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        if (role == cuda::pipeline_role::producer) {
            pipe.producer_acquire();
            cuda::aligned_size_t<8> two(2 * sizeof(int));
            cuda::memcpy_async(&tile[round % 2][2 * lane], &in[round * 64 + 2 * lane], two, pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            sum += tile[round % 2][31 - lane];
            pipe.consumer_release();
        }
    }
    out[threadIdx.x] = sum;
}

int main()
{
    int *in, *out;
    cudaMallocManaged(&in, 64 * ROUNDS * sizeof(int));
    cudaMallocManaged(&out, 64 * sizeof(int));
    for (int i = 0; i < 64 * ROUNDS; i++) {
        in[i] = i;
    }
    alone<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%d %d", out[0], out[56]);
    together<<<1, 64>>>(in, out, true);
    cudaDeviceSynchronize();
    printf(", %d", out[0]);
    divided<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf(" %d %d\n", out[32], out[63]);
    together<<<1, 64>>>(in, out, false);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
