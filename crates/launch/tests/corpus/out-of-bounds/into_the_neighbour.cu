// Past the end of one buffer another one begins, on many devices. It is still not this buffer.
//@ launch fill<<<1, 1>>> buf:i32:zeros*128 buf:i32:zeros*128 i32:128
extern "C" __global__ void fill(int* a, int* b, int n) {
    b[0] = 5;
    a[n] = 7;  // expect: out-of-bounds
}
