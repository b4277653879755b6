// Every lane goes round the loop as often as its own number says, and shuffles with all lanes in it.
//@ launch loop<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*32
extern "C" __global__ void loop(const int* in, int* out) {
    unsigned t = threadIdx.x;
    int value = in[t];
    for (int i = 0; i < in[t] / 8; i++) {
        value += __shfl_xor_sync(0xffffffff, value, 1);  // expect: warp-collective
    }
    out[t] = value;
}
