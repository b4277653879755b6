// The consumer waits for a producer that forgets to arrive.
//@ launch pass<<<1, 64>>> buf:i32:zeros*32
extern "C" __global__ void pass(int* out) {
    __shared__ int s[32];
    unsigned t = threadIdx.x;
    if (t < 32) {
        s[t] = t;
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");  // expect: deadlock
        out[t - 32] = s[t - 32];
    }
}
