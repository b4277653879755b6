// Two pairs of warps, each with a barrier of its own and the number of its threads.
// expect: clean
//@ launch pairs<<<1, 128>>> buf:i32:iota*128 buf:i32:zeros*128
//@ expect 1 = i32:63,62,61,uninit*125
extern "C" __global__ void pairs(const int* in, int* out) {
    __shared__ int s[128];
    unsigned t = threadIdx.x, first = t & ~63u;
    s[t] = in[t];
    if (t < 64) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 2, 64;" ::: "memory");
    }
    out[t] = s[first + 63 - t % 64];
}
