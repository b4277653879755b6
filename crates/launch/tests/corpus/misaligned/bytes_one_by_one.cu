// A copy by bytes may start anywhere.
// expect: clean
//@ launch read<<<1, 8>>> buf:u8:iota*40 buf:u32:zeros*8
//@ expect 1 = u32:50462976,134678021,uninit*6
extern "C" __global__ void read(const unsigned char* in, unsigned* out) {
    unsigned t = threadIdx.x, value = 0;
    for (unsigned byte = 0; byte < 4; byte++) value |= (unsigned)in[5 * t + byte] << 8 * byte;
    out[t] = value;
}
