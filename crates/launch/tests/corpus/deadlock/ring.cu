// Three warps, three barriers: each waits where the next one comes second.
//@ launch ring<<<1, 96>>> buf:i32:zeros*96
extern "C" __global__ void ring(int* out) {
    unsigned t = threadIdx.x;
    if (t < 32) {
        asm volatile("bar.sync 1, 64;" ::: "memory");  // expect: deadlock
        asm volatile("bar.sync 3, 64;" ::: "memory");
    } else if (t < 64) {
        asm volatile("bar.sync 2, 64;" ::: "memory");  // expect-also: deadlock
        asm volatile("bar.sync 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 3, 64;" ::: "memory");  // expect-also: deadlock
        asm volatile("bar.sync 2, 64;" ::: "memory");
    }
    out[t] = 1;
}
