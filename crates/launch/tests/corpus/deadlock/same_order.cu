// Both warps take the barriers in one order.
// expect: clean
//@ launch cross<<<1, 64>>> buf:i32:zeros*64
//@ expect 0 = i32:1,1,1,uninit*61
extern "C" __global__ void cross(int* out) {
    unsigned t = threadIdx.x;
    if (t < 32) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        asm volatile("bar.sync 2, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        asm volatile("bar.sync 2, 64;" ::: "memory");
    }
    out[t] = 1;
}
