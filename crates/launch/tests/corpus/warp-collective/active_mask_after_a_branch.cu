// After a branch the lanes may or may not be together again: __activemask() says who is, not who should be.
//@ launch sum<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*32
extern "C" __global__ void sum(const int* in, int* out) {
    unsigned t = threadIdx.x;
    int value = in[t];
    if (t % 2 == 1) {
        value += 10;
        out[t] = value;
    }
    unsigned mask = __activemask();  // expect: warp-collective
    for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(mask, value, d);
    if (t == 0) out[0] = value;
}
