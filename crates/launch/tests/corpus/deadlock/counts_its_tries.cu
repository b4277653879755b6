// Nobody sets the flag, and the loop counts its looks: that changes nothing for anybody.
//@ launch wait<<<1, 32>>> buf:i32:zeros*1 buf:i32:zeros*1
extern "C" __global__ void wait(volatile int* flag, int* out) {
    int tries = 0;
    while (*flag == 0) tries++;  // expect: deadlock "stored"
    *out = tries;
}
