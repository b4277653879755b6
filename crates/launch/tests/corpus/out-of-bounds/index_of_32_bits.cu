// Row times pitch is more than an int holds, and the index comes out below 0.
//@ launch pick<<<1, 32>>> buf:u8:zeros*1000 buf:u8:uninit*32 i32:70000 i32:40000
extern "C" __global__ void pick(const unsigned char *in, unsigned char *out, int row, int pitch)
{
    int at = row * pitch + threadIdx.x;
    out[threadIdx.x] = in[at];  // expect: out-of-bounds "1494967296"
}
