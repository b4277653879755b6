// A table in constant memory with 8 elements.
//@ launch look<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*32
__constant__ int weights[8] = {1, 2, 3, 4, 5, 6, 7, 8};
extern "C" __global__ void look(const int* in, int* out) {
    unsigned t = threadIdx.x;
    out[t] = weights[in[t]];  // expect: out-of-bounds
}
