// Each thread reads what it has asked an asynchronous copy for, and does not wait for the copy.
// arch: 80
//@ launch rotate<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*64
#include <cuda_pipeline.h>
extern "C" __global__ void rotate(const int* in, int* out) {
    __shared__ int s[64];
    unsigned t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], sizeof(int));
    __pipeline_commit();
    out[t] = s[t];  // expect: data-race
    __pipeline_wait_prior(0);
}
