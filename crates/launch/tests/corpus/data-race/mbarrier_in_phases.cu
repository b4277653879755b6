// One mbarrier for many phases: a producer warp fills a buffer, a consumer warp empties it, each in its turn.
// expect: clean
// arch: 90
//@ launch pass<<<1, 64>>> buf:i32:iota*256 buf:i32:zeros*256
//@ expect 1 = i32:0,3,6,9,uninit*252
#include <cuda_awbarrier_primitives.h>
extern "C" __global__ void pass(const int* in, int* out) {
    __shared__ int s[32];
    __shared__ __mbarrier_t full, empty;
    unsigned t = threadIdx.x, lane = t % 32;
    if (t == 0) {
        __mbarrier_init(&full, 32);
        __mbarrier_init(&empty, 32);
    }
    __syncthreads();
    for (int round = 0; round < 8; round++) {
        if (t < 32) {
            while (round > 0 && !__mbarrier_test_wait_parity(&empty, (round - 1) % 2)) {}
            s[lane] = 3 * in[round * 32 + lane];
            __mbarrier_arrive(&full);
        } else {
            while (!__mbarrier_test_wait_parity(&full, round % 2)) {}
            out[round * 32 + lane] = s[lane ^ 1] - 3 * ((lane ^ 1) - lane);
            __mbarrier_arrive(&empty);
        }
    }
}
