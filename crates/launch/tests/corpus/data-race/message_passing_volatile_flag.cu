// A volatile access is a relaxed one of system scope (PTX ISA, "ld.volatile"), so fences around it order.
// expect: clean
//@ launch pass<<<2, 1>>> buf:i32:zeros*1 buf:i32:zeros*1 buf:i32:zeros*1
//@ expect 2 = i32:42
extern "C" __global__ void pass(int* data, volatile int* flag, int* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {}
        __threadfence();
        *out = *data;
    }
}
