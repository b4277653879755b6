// The mbarrier is for 32 arrivals per phase, and 64 threads come. A thread that asks late finds two phases
// over, which looks like none, so nobody asks for ever.
// arch: 80
//@ launch rotate<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*64
#include <cuda_awbarrier_primitives.h>
extern "C" __global__ void rotate(const int* in, int* out) {
    __shared__ int s[64];
    __shared__ __mbarrier_t barrier;
    unsigned t = threadIdx.x;
    if (t == 0) __mbarrier_init(&barrier, 32);
    __syncthreads();
    s[t] = in[t];  // expect-also: data-race
    __mbarrier_token_t token = __mbarrier_arrive(&barrier);
    for (int i = 0; i < 100 && !__mbarrier_test_wait(&barrier, token); i++) {}
    out[t] = s[(t + 32) % 64];  // expect: data-race  expect-also: uninitialized-read
}
