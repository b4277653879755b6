// The lower half says that it is alone, the upper half that all come.
//@ launch spread<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*32
extern "C" __global__ void spread(const int* in, int* out) {
    unsigned t = threadIdx.x;
    unsigned mask = t < 16 ? 0x0000ffff : 0xffffffff;
    out[t] = __shfl_sync(mask, in[t], t & 16);  // expect: warp-collective
}
