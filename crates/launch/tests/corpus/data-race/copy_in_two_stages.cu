// While one tile is summed the next is copied: waiting for all groups but the last leaves that one in flight.
// expect: clean
// arch: 80
//@ launch sums<<<1, 64>>> buf:i32:iota*512 buf:i32:zeros*64 i32:8
//@ expect 1 = i32:1800,1808,1816,uninit*61
#include <cuda_pipeline.h>
extern "C" __global__ void sums(const int* in, int* out, int tiles) {
    __shared__ int s[2][64];
    unsigned t = threadIdx.x;
    __pipeline_memcpy_async(&s[0][t], &in[t], sizeof(int));
    __pipeline_commit();
    int sum = 0;
    for (int tile = 0; tile < tiles; tile++) {
        if (tile + 1 < tiles) {
            __pipeline_memcpy_async(&s[(tile + 1) % 2][t], &in[(tile + 1) * 64 + t], sizeof(int));
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += s[tile % 2][(t + 1) % 64];
        __syncthreads();
    }
    out[t] = sum;
}
