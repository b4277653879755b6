// A record of one byte and one short, packed by hand.
//@ launch read<<<1, 8>>> buf:u8:iota*24 buf:i32:zeros*8
extern "C" __global__ void read(const unsigned char* in, int* out) {
    unsigned t = threadIdx.x;
    out[t] = *(const unsigned short*)(in + 3 * t + 1);  // expect: misaligned
}
