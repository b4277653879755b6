// All lanes of a warp fill shared memory and wait for each other, before one arrives for all.
// expect: clean
// arch: 90
//@ launch handoff<<<1, 64>>> buf:i32:iota*32 buf:i32:zeros*32
#include <cuda_awbarrier_primitives.h>
extern "C" __global__ void handoff(const int *in, int *out)
{
    __shared__ int tile[32];
    __shared__ __mbarrier_t loaded;
    int t = threadIdx.x;
    if (t == 0)
        __mbarrier_init(&loaded, 1);
    __syncthreads();
    if (t < 32) {
        tile[t] = in[t];
        __syncwarp();
        if (t == 0)
            __mbarrier_arrive(&loaded);
    } else {
        while (!__mbarrier_test_wait_parity(&loaded, false)) {
        }
        out[t - 32] = tile[t - 32] * 2;
    }
}
