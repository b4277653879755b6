// The compiler cannot know that everybody reads the same condition. It is enough that everybody does.
// expect: clean
//@ launch maybe<<<1, 64>>> buf:i32:iota*64 buf:i32:1 buf:i32:zeros*64
//@ expect 2 = i32:63,62,61,uninit*61
extern "C" __global__ void maybe(const int* in, const int* turned, int* out) {
    __shared__ int s[64];
    unsigned t = threadIdx.x;
    int value = in[t];
    if (*turned != 0) {
        s[t] = value;
        __syncthreads();
        value = s[63 - t];
    }
    out[t] = value;
}
