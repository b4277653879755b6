// With a width of 16 a lane past the end of its group gets its own value.
// expect: clean
//@ launch sum<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*32
//@ expect 1 = i32:8,10,12,14,16,18,20,22,16,18,uninit*22
extern "C" __global__ void sum(const int* in, int* out) {
    unsigned t = threadIdx.x;
    int value = in[t];
    if (t < 16) {
        value += __shfl_down_sync(0x0000ffff, value, 8, 16);
    }
    out[t] = value;
}
