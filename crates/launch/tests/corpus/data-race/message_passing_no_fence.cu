// The atomics do not race; the data do. A relaxed atomic orders nothing around it.
//@ launch pass<<<2, 1>>> buf:i32:zeros*1 buf:i32:zeros*1 buf:i32:zeros*1
extern "C" __global__ void pass(int* data, int* flag, int* out) {
    if (blockIdx.x == 0) {
        *data = 42;  // expect-also: data-race
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {}
        *out = *data;  // expect: data-race
    }
}
