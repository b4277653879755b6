// The chunk of each thread starts at an odd element.
//@ launch sum<<<1, 4>>> buf:i32:iota*32 buf:i32:zeros*4
extern "C" __global__ void sum(const int* in, int* out) {
    unsigned t = threadIdx.x;
    int2 two = *(const int2*)(in + 3 * t);  // expect: misaligned
    out[t] = two.x + two.y;
}
