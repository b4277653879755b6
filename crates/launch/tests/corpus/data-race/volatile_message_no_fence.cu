// The message may arrive after its flag: volatile orders nothing.
//@ launch pass<<<2, 1>>> buf:i32:zeros*1 buf:i32:zeros*1 buf:i32:zeros*1
extern "C" __global__ void pass(volatile int* data, volatile int* flag, int* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        *flag = 1;
    } else {
        while (*flag == 0) {}
        *out = *data;  // expect: data-race
    }
}
