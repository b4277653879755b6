// All lanes, one instruction.
// expect: clean
// arch: 80
//@ launch sum<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*32
//@ expect 1 = i32:496,496,uninit*30
extern "C" __global__ void sum(const int* in, int* out) {
    unsigned t = threadIdx.x;
    out[t] = __reduce_add_sync(0xffffffff, in[t]);
}
