// A maximum without an atomic: of two threads that look at the same time, the last one to store wins.
//@ launch maximum<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*1
extern "C" __global__ void maximum(const int* in, volatile int* best) {
    int mine = in[31 - threadIdx.x];
    if (mine > *best) *best = mine;  // expect: data-race
}
