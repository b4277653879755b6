// The same with the mask of those that come.
// expect: clean
//@ launch pairs<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*32
//@ expect 1 = i32:1,1,5,5,9,9,uninit*26
extern "C" __global__ void pairs(const int* in, int* out) {
    unsigned t = threadIdx.x;
    int value = in[t];
    if (t < 16) {
        value += __shfl_xor_sync(0x0000ffff, value, 1);
    }
    out[t] = value;
}
