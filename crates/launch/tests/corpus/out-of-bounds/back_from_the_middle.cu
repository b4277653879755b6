// A negative index from a pointer into the middle.
// expect: clean
//@ launch turn<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*32
//@ expect 1 = i32:31,30,29,uninit*29
extern "C" __global__ void turn(const int* in, int* out) {
    const int* last = in + 31;
    int t = threadIdx.x;
    out[t] = last[-t];
}
