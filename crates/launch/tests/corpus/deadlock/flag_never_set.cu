// Everybody waits for a flag, nobody sets it.
//@ launch wait<<<1, 32>>> buf:i32:zeros*1 buf:i32:zeros*32
extern "C" __global__ void wait(volatile int* flag, int* out) {
    while (*flag == 0) {}  // expect: deadlock
    out[threadIdx.x] = 1;
}
