// A barrier with a count waits for so many arrivals. The exit of the other warp is none.
//@ launch wait<<<1, 64>>> buf:i32:zeros*64
extern "C" __global__ void wait(int* out) {
    unsigned t = threadIdx.x;
    if (t >= 32) return;
    out[t] = 1;
    asm volatile("bar.sync 1, 64;" ::: "memory");  // expect: deadlock
    out[t] = 2;
}
