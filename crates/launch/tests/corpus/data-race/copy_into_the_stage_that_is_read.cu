// While one tile is summed the next is copied, into the stage that a slower warp still reads: nothing holds
// the faster ones back at the end of the loop.
// arch: 80
//@ launch sums<<<1, 64>>> buf:i32:iota*512 buf:i32:zeros*64 i32:8
#include <cuda_pipeline.h>
extern "C" __global__ void sums(const int* in, int* out, int tiles) {
    __shared__ int s[2][64];
    unsigned t = threadIdx.x;
    __pipeline_memcpy_async(&s[0][t], &in[t], sizeof(int));
    __pipeline_commit();
    int sum = 0;
    for (int tile = 0; tile < tiles; tile++) {
        if (tile + 1 < tiles) {
            const int* next = &in[(tile + 1) * 64 + t];
            __pipeline_memcpy_async(&s[(tile + 1) % 2][t], next, sizeof(int));  // expect-also: data-race
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += s[tile % 2][63 - t];  // expect: data-race
    }
    out[t] = sum;
}
