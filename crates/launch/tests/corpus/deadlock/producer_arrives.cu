// bar.arrive counts and goes on; two rounds through two barriers.
// expect: clean
//@ launch pass<<<1, 64>>> buf:i32:zeros*32
//@ expect 0 = i32:10,11,12,uninit*29
extern "C" __global__ void pass(int* out) {
    __shared__ int s[32];
    unsigned t = threadIdx.x;
    if (t < 32) {
        s[t] = t;
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        asm volatile("bar.sync 2, 64;" ::: "memory");
        out[t] = s[t];
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        s[t - 32] += 10;
        asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
}
