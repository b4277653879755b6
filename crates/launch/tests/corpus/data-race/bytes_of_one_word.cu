// Neighbouring bytes are different places, whatever the width of the memory.
// expect: clean
//@ launch fill<<<1, 64>>> buf:u8:zeros*64
//@ expect 0 = u8:0,3,6,9,12,15,uninit*58
extern "C" __global__ void fill(unsigned char* out) {
    out[threadIdx.x] = 3 * threadIdx.x;
}
