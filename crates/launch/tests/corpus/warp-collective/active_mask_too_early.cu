// __activemask() before the branch tells who is there before the branch.
//@ launch odd<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*32
extern "C" __global__ void odd(const int* in, int* out) {
    unsigned t = threadIdx.x, mask = __activemask();
    int value = in[t];
    if (t % 2 == 1) {
        value += __shfl_xor_sync(mask, value, 2);  // expect: warp-collective
    }
    out[t] = value;
}
