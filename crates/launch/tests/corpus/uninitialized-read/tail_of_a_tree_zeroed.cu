// The places without an element hold a zero.
// expect: clean
//@ launch sum<<<1, 32>>> buf:i32:iota*20 i32:20 buf:i32:zeros*1
//@ expect 2 = i32:190
extern "C" __global__ void sum(const int* in, int n, int* out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t < n ? in[t] : 0;
    for (int half = 16; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) s[t] += s[t + half];
    }
    if (t == 0) *out = s[0];
}
