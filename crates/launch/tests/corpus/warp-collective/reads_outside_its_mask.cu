// Sixteen lanes with a mask of their own, but a warp-wide shuffle: lanes 8 to 15 read from lanes 16 to 23.
//@ launch sum<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*32
extern "C" __global__ void sum(const int* in, int* out) {
    unsigned t = threadIdx.x;
    int value = in[t];
    if (t < 16) {
        value += __shfl_down_sync(0x0000ffff, value, 8);  // expect: warp-collective
    }
    out[t] = value;
}
