// A 16-byte load has to start at a multiple of 16; one int further is none.
//@ launch sum<<<1, 4>>> buf:i32:iota*32 buf:i32:zeros*4
extern "C" __global__ void sum(const int* in, int* out) {
    unsigned t = threadIdx.x;
    int4 four = *(const int4*)(in + 4 * t + 1);  // expect: misaligned
    out[t] = four.x + four.y + four.z + four.w;
}
