// With an unsigned index, 0 - 1 is 4,294,967,295.
//@ launch left<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*32
extern "C" __global__ void left(const int* in, int* out) {
    out[threadIdx.x] = in[threadIdx.x - 1];  // expect: out-of-bounds
}
