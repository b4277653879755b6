// A shuffle makes lanes wait for each other, but is no memory barrier (CUDA guide, "Warp shuffle functions").
//@ launch pairs<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*32
extern "C" __global__ void pairs(const int* in, int* out) {
    __shared__ int s[32];
    unsigned t = threadIdx.x;
    int mine = in[t];
    s[t] = mine;  // expect-also: data-race
    int other = __shfl_xor_sync(0xffffffff, mine, 1);
    out[t] = other - s[t ^ 1];  // expect: data-race
}
