// 32 elements are eight vectors.
// expect: clean
//@ launch sum<<<1, 8>>> buf:i32:iota*32 buf:i32:zeros*8
//@ expect 1 = i32:6,22,38,54,70,86,102,118
extern "C" __global__ void sum(const int4* in, int* out) {
    unsigned t = threadIdx.x;
    int4 four = in[t];
    out[t] = four.x + four.y + four.z + four.w;
}
