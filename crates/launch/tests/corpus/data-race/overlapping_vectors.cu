// Two threads store pairs that share an element.
//@ launch pairs<<<1, 32>>> buf:i32:zeros*66
extern "C" __global__ void pairs(int2* out) {
    unsigned t = threadIdx.x;
    out[(t + 1) / 2] = make_int2(t, t);  // expect: data-race
}
