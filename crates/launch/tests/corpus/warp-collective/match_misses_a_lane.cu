// Lane 31 does not come to be compared.
//@ launch same<<<1, 32>>> buf:i32:iota*32 buf:u32:zeros*32
extern "C" __global__ void same(const int* in, unsigned* out) {
    unsigned t = threadIdx.x, group = 0;
    if (t != 31) {
        group = __match_any_sync(0xffffffff, in[t] / 8);  // expect: warp-collective
    }
    out[t] = group;
}
