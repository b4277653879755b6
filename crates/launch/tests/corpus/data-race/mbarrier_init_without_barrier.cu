// One thread initialises the mbarrier while others arrive at it.
// arch: 80
//@ launch rotate<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*64
#include <cuda_awbarrier_primitives.h>
extern "C" __global__ void rotate(const int* in, int* out) {
    __shared__ int s[64];
    __shared__ __mbarrier_t barrier;
    unsigned t = threadIdx.x;
    if (t == 0) __mbarrier_init(&barrier, 64);  // expect-also: data-race
    s[t] = in[t];
    __mbarrier_token_t token = __mbarrier_arrive(&barrier);  // expect: data-race|uninitialized-read
    while (!__mbarrier_test_wait(&barrier, token)) {}  // expect-also: data-race
    out[t] = s[(t + 1) % 64];
}
