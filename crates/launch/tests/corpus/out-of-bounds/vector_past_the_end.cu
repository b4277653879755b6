// The last of the four elements of a vector load is one too far.
//@ launch sum<<<1, 8>>> buf:i32:iota*31 buf:i32:zeros*8
extern "C" __global__ void sum(const int4* in, int* out) {
    unsigned t = threadIdx.x;
    int4 four = in[t];  // expect: out-of-bounds
    out[t] = four.x + four.y + four.z + four.w;
}
