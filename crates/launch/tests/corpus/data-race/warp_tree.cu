// One warp, "so it runs in lockstep": since Volta it need not, and only __syncwarp() orders its lanes.
//@ launch reduce<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*1
extern "C" __global__ void reduce(const int* in, int* out) {
    __shared__ int s[32];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 16) s[t] += s[t + 16];  // expect-also: data-race
    if (t < 8) s[t] += s[t + 8];    // expect: data-race
    if (t < 4) s[t] += s[t + 4];    // expect: data-race
    if (t < 2) s[t] += s[t + 2];    // expect: data-race
    if (t < 1) s[t] += s[t + 1];    // expect: data-race
    if (t == 0) *out = s[0];
}
