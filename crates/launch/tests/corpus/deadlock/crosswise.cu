// Two warps want two barriers in opposite order, like two locks.
//@ launch cross<<<1, 64>>> buf:i32:zeros*64
extern "C" __global__ void cross(int* out) {
    unsigned t = threadIdx.x;
    if (t < 32) {
        asm volatile("bar.sync 1, 64;" ::: "memory");  // expect: deadlock
        asm volatile("bar.sync 2, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 2, 64;" ::: "memory");  // expect-also: deadlock
        asm volatile("bar.sync 1, 64;" ::: "memory");
    }
    out[t] = 1;
}
