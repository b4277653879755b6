// Each thread waits for its own asynchronous copy. That says nothing of its neighbour's.
// arch: 80
//@ launch rotate<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*64
#include <cuda_pipeline.h>
extern "C" __global__ void rotate(const int* in, int* out) {
    __shared__ int s[64];
    unsigned t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], sizeof(int));  // expect-also: data-race
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[t] = s[(t + 1) % 64];  // expect: data-race  expect-also: uninitialized-read
}
