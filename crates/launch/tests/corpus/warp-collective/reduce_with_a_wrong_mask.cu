// The reduction names all lanes; a quarter of them take another way.
// arch: 80
//@ launch sum<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*32
extern "C" __global__ void sum(const int* in, int* out) {
    unsigned t = threadIdx.x;
    int value = in[t];
    if (t % 4 != 0) {
        value = __reduce_add_sync(0xffffffff, value);  // expect: warp-collective
    }
    out[t] = value;
}
