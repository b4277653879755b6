// The same over a longer way: each block waits for the one before it, the last reads what the first wrote.
// expect: clean
//@ launch relay<<<20, 1>>> buf:i32:zeros*1 buf:i32:zeros*20 buf:i32:zeros*1
//@ expect 2 = i32:42
extern "C" __global__ void relay(int* data, int* flags, int* out) {
    unsigned b = blockIdx.x;
    if (b == 0) *data = 42;
    if (b > 0) {
        while (atomicAdd(&flags[b - 1], 0) == 0) {}
    }
    __threadfence();
    if (b == gridDim.x - 1) *out = *data;
    atomicExch(&flags[b], 1);
}
