// Fences order the message and its flag; the flag is read once more.
//@ launch pass<<<2, 1>>> buf:i32:zeros*1 buf:i32:zeros*1 buf:i32:zeros*1
// expect: clean
//@ expect 2 = i32:43
extern "C" __global__ void pass(volatile int* data, volatile int* flag, int* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {}
        __threadfence();
        *out = *data + *flag;
    }
}
