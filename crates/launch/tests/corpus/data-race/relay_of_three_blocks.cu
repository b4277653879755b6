// Order passes on: block 0 to block 1 to block 2 (PTX ISA, "Causality order").
// expect: clean
//@ launch relay<<<3, 1>>> buf:i32:zeros*1 buf:i32:zeros*2 buf:i32:zeros*1
//@ expect 2 = i32:42
extern "C" __global__ void relay(int* data, int* flags, int* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        atomicExch(&flags[0], 1);
    } else if (blockIdx.x == 1) {
        while (atomicAdd(&flags[0], 0) == 0) {}
        __threadfence();
        atomicExch(&flags[1], 1);
    } else {
        while (atomicAdd(&flags[1], 0) == 0) {}
        __threadfence();
        *out = *data;
    }
}
