// Records of five bytes: only every fourth int lies where an int may lie.
//@ launch read<<<1, 8>>> buf:u8:iota*40 buf:i32:zeros*8
extern "C" __global__ void read(const unsigned char* in, int* out) {
    unsigned t = threadIdx.x;
    out[t] = *(const int*)(in + 5 * t);  // expect: misaligned
}
