// Everybody takes the same branch: the condition is a parameter.
// expect: clean
//@ launch maybe<<<1, 64>>> buf:i32:iota*64 i32:1 buf:i32:zeros*64
//@ expect 2 = i32:63,62,61,uninit*61
extern "C" __global__ void maybe(const int* in, int turned, int* out) {
    __shared__ int s[64];
    unsigned t = threadIdx.x;
    int value = in[t];
    if (turned) {
        s[t] = value;
        __syncthreads();
        value = s[63 - t];
    }
    out[t] = value;
}
