// __syncwarp() orders the memory accesses of the lanes that take part (CUDA guide, "Warp synchronization").
// expect: clean
//@ launch reduce<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*1
//@ expect 1 = i32:496
extern "C" __global__ void reduce(const int* in, int* out) {
    __shared__ int s[32];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    for (unsigned half = 16; half > 0; half /= 2) {
        __syncwarp();
        if (t < half) s[t] += s[t + half];
    }
    if (t == 0) *out = s[0];
}
