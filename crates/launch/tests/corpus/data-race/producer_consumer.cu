// A warp that produces arrives at barrier 1 and does not wait; the one that consumes waits there.
// expect: clean
//@ launch pass<<<1, 64>>> buf:i32:iota*32 buf:i32:zeros*32
//@ expect 1 = i32:1,2,3,4,uninit*28
extern "C" __global__ void pass(const int* in, int* out) {
    __shared__ int s[32];
    unsigned t = threadIdx.x;
    if (t < 32) {
        s[t] = in[t] + 1;
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[t - 32] = s[t - 32];
    }
}
