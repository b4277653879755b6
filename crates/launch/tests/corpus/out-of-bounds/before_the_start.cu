// Thread 0 has no left neighbour.
//@ launch left<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*32
extern "C" __global__ void left(const int* in, int* out) {
    int t = threadIdx.x;
    out[t] = in[t - 1];  // expect: out-of-bounds
}
