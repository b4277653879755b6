// Each thread waits for its asynchronous copy, the block meets at a barrier, the neighbour's copy is read.
// expect: clean
// arch: 80
//@ launch rotate<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*64
//@ expect 1 = i32:1,2,3,4,uninit*60
#include <cuda_pipeline.h>
extern "C" __global__ void rotate(const int* in, int* out) {
    __shared__ int s[64];
    unsigned t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = s[(t + 1) % 64];
}
