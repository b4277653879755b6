// The mbarrier is for 32 arrivals, and 64 threads arrive: those who write do so after its phase is complete.
// arch: 80
//@ launch pass<<<1, 64>>> buf:i32:iota*32 buf:i32:zeros*32
#include <cuda_awbarrier_primitives.h>
extern "C" __global__ void pass(const int* in, int* out) {
    __shared__ int s[32];
    __shared__ __mbarrier_t barrier;
    __shared__ volatile int is_written, is_read;
    unsigned t = threadIdx.x;
    if (t == 0) {
        __mbarrier_init(&barrier, 32);
        is_written = is_read = 0;
    }
    __syncthreads();
    if (t < 32) {
        s[t] = in[t];  // expect-also: data-race
        __syncwarp();
        if (t == 0) is_written = 1;
        while (is_read == 0) {}
        __mbarrier_arrive(&barrier);
    } else {
        while (is_written == 0) {}
        __mbarrier_token_t token = __mbarrier_arrive(&barrier);
        while (!__mbarrier_test_wait(&barrier, token)) {}
        out[t - 32] = s[t - 32];  // expect: data-race "late"
        __syncwarp();
        if (t == 32) is_read = 1;
    }
}
