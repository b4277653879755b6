// Rows of 16 elements, read as if they had 17.
//@ launch column<<<1, 8>>> buf:i32:iota*128 buf:i32:zeros*8 i32:17
extern "C" __global__ void column(const int* in, int* out, int pitch) {
    int row = threadIdx.x;
    out[row] = in[row * pitch + 15];  // expect: out-of-bounds
}
