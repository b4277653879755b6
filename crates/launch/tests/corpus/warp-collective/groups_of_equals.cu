// Lanes with equal keys find each other and work with the mask of their group.
// expect: clean
//@ launch count<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*4
//@ expect 1 = i32:8,8,8,8
extern "C" __global__ void count(const int* in, int* bins) {
    unsigned t = threadIdx.x;
    int key = in[t] % 4;
    unsigned group = __match_any_sync(0xffffffff, key);
    if (t == __ffs(group) - 1) atomicAdd(&bins[key], __popc(group));
}
