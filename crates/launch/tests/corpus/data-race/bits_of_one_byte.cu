// Bits are not places of their own: setting one is reading and writing its byte.
//@ launch mark<<<1, 64>>> buf:u8:zeros*8
extern "C" __global__ void mark(unsigned char* bits) {
    unsigned t = threadIdx.x;
    bits[t / 8] |= 1 << t % 8;  // expect: data-race
}
