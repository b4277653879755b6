// The flag is set by a block that comes later.
// expect: clean
//@ launch wait<<<2, 32>>> buf:i32:zeros*1 buf:i32:zeros*1
//@ expect 1 = i32:1
extern "C" __global__ void wait(int* flag, int* out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 1) {
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {}
        *out = 1;
    }
}
