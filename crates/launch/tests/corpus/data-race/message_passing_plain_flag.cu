// The flag itself is written plainly and read by an atomic.
//@ launch pass<<<2, 1>>> buf:i32:zeros*1 buf:i32:zeros*1 buf:i32:zeros*1
extern "C" __global__ void pass(int* data, int* flag, int* out) {
    if (blockIdx.x == 0) {
        *data = 42;  // expect-also: data-race
        __threadfence();
        *flag = 1;  // expect-also: data-race
    } else {
        while (atomicAdd(flag, 0) == 0) {}  // expect: data-race
        __threadfence();
        *out = *data;  // expect-also: data-race
    }
}
