// The mask names the lower half; the upper half executes the shuffle as well.
//@ launch spread<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*32
extern "C" __global__ void spread(const int* in, int* out) {
    unsigned t = threadIdx.x;
    out[t] = __shfl_sync(0x0000ffff, in[t], 3);  // expect: warp-collective
}
