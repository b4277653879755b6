// The same ring with one warp the other way round.
// expect: clean
//@ launch ring<<<1, 96>>> buf:i32:zeros*96
//@ expect 0 = i32:1,1,1,uninit*93
extern "C" __global__ void ring(int* out) {
    unsigned t = threadIdx.x;
    if (t < 32) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        asm volatile("bar.sync 3, 64;" ::: "memory");
    } else if (t < 64) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        asm volatile("bar.sync 2, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 2, 64;" ::: "memory");
        asm volatile("bar.sync 3, 64;" ::: "memory");
    }
    out[t] = 1;
}
