// `volatile` makes every access happen. It orders no lane after another: one may add before its partner has.
//@ launch reduce<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*1
extern "C" __global__ void reduce(const int* in, int* out) {
    __shared__ int s[32];
    volatile int* v = s;
    unsigned t = threadIdx.x;
    v[t] = in[t];
    __syncthreads();
    if (t < 16) v[t] += v[t + 16];  // expect-also: data-race
    if (t < 8) v[t] += v[t + 8];    // expect: data-race
    if (t < 4) v[t] += v[t + 4];    // expect: data-race
    if (t < 2) v[t] += v[t + 2];    // expect: data-race
    if (t < 1) v[t] += v[t + 1];    // expect: data-race
    if (t == 0) *out = v[0];
}
