// Each half names itself, at one and the same instruction.
// expect: clean
//@ launch spread<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*32
//@ expect 1 = i32:0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,16,16,uninit*14
extern "C" __global__ void spread(const int* in, int* out) {
    unsigned t = threadIdx.x;
    unsigned mask = t < 16 ? 0x0000ffff : 0xffff0000;
    out[t] = __shfl_sync(mask, in[t], t & 16);
}
