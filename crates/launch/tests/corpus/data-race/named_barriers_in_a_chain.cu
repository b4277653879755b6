// Warp 0 meets warp 1, warp 1 meets warp 2: what warp 0 wrote before is there for warp 2 after.
// expect: clean
//@ launch chain<<<1, 96>>> buf:i32:iota*32 buf:i32:zeros*32
//@ expect 1 = i32:31,30,29,uninit*29
extern "C" __global__ void chain(const int* in, int* out) {
    __shared__ int s[32];
    unsigned t = threadIdx.x;
    if (t < 32) {
        s[t] = in[t];
        asm volatile("bar.sync 1, 64;" ::: "memory");
    } else if (t < 64) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        asm volatile("bar.sync 2, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 2, 64;" ::: "memory");
        out[t - 64] = s[95 - t];
    }
}
