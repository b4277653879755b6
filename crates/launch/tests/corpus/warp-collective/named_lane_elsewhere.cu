// The mask names all lanes; half of them do not come.
//@ launch pairs<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*32
extern "C" __global__ void pairs(const int* in, int* out) {
    unsigned t = threadIdx.x;
    int value = in[t];
    if (t < 16) {
        value += __shfl_xor_sync(0xffffffff, value, 1);  // expect: warp-collective
    }
    out[t] = value;
}
