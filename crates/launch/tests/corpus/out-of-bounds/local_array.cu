// An array of the thread's own, with an index from memory.
//@ launch look<<<1, 1>>> buf:i32:12 buf:i32:zeros*1
extern "C" __global__ void look(const int* in, int* out) {
    int squares[8];
    for (int i = 0; i < 8; i++) squares[i] = i * i;
    squares[in[0] / 2] = 0;
    *out = squares[in[0]];  // expect: out-of-bounds
}
