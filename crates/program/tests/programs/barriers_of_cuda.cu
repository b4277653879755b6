// cuda::barrier with copies that it waits for: of a block and of a grid, and one that nobody waits for.
// prints: 2016 2016, 640
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/std/limits>
#include <cstdio>

using barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ cuda::barrier<cuda::thread_scope_device> everyone;
__device__ cuda::atomic<int, cuda::thread_scope_device> sum;

__global__ void waits(const int *in, int *out)
{
    __shared__ int tile[64];
    __shared__ barrier ready;
    if (threadIdx.x == 0) {
        init(&ready, blockDim.x);
    }
    __syncthreads();
    cuda::memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int), ready);
    barrier::arrival_token token = ready.arrive();
    ready.wait(std::move(token));
    int total = 0;
    for (int x : tile) {
        total += x;
    }
    ready.arrive_and_wait();
    tile[threadIdx.x] = cuda::std::numeric_limits<int>::max();
    out[threadIdx.x] = total;
}

__global__ void forgets(const int *in, int *out)
{
    __shared__ int tile[64];
    __shared__ barrier ready;
    if (threadIdx.x == 0) {
        init(&ready, blockDim.x);
    }
    __syncthreads();
    tile[threadIdx.x] = in[threadIdx.x]; // expect: error data-race
    barrier::arrival_token token = ready.arrive();
    out[threadIdx.x] = tile[63 - threadIdx.x];
    ready.wait(std::move(token));
}

__global__ void grid(int *out)
{
    if (threadIdx.x == 0) {
        sum += 320;
        everyone.arrive_and_wait();
        out[blockIdx.x] = sum.load(cuda::memory_order_relaxed);
    }
}

__global__ void begin()
{
    init(&everyone, 2);
    sum = 0;
}

int main()
{
    int *in, *out;
    cudaMallocManaged(&in, 64 * sizeof(int));
    cudaMallocManaged(&out, 64 * sizeof(int));
    for (int i = 0; i < 64; i++) {
        in[i] = i;
    }
    waits<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%d %d", out[0], out[63]);
    begin<<<1, 1>>>();
    grid<<<2, 32>>>(out);
    cudaDeviceSynchronize();
    printf(", %d\n", out[1]);
    forgets<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
