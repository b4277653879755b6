// Each thread fills the element of another one, and reads its own before a barrier: what it finds there is
// unwritten because of that, which is not said as a second mistake.
//@ launch reverse<<<1, 64>>> buf:i32:iota*64 buf:i32:uninit*64
extern "C" __global__ void reverse(const int *in, int *out) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    tile[63 - t] = in[63 - t];
    int mine = tile[t];  // expect: data-race
    out[t] = mine;
}
