// A reader with a fence for its block and then one for the device: the second is enough.
//@ launch pass<<<2, 1>>> buf:i32:zeros*1 buf:i32:zeros*1 buf:i32:zeros*1
// expect: clean
//@ expect 2 = i32:42
extern "C" __global__ void pass(int* data, int* flag, int* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {}
        __threadfence_block();
        __threadfence();
        *out = *data;
    }
}
