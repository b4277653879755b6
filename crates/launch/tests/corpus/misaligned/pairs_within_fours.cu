// Pairs at even elements.
// expect: clean
//@ launch sum<<<1, 8>>> buf:i32:iota*32 buf:i32:zeros*8
//@ expect 1 = i32:5,13,21,uninit*5
extern "C" __global__ void sum(const int4* in, int* out) {
    unsigned t = threadIdx.x;
    int2 two = *(const int2*)((const int*)(in + t) + 2);
    out[t] = two.x + two.y;
}
