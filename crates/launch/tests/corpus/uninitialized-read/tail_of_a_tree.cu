// 20 elements, 32 places: the tree adds twelve that nobody has set.
//@ launch sum<<<1, 32>>> buf:i32:iota*20 i32:20 buf:i32:zeros*1
extern "C" __global__ void sum(const int* in, int n, int* out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < n) s[t] = in[t];
    for (int half = 16; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) s[t] += s[t + half];
    }
    if (t == 0) *out = s[0];  // expect: uninitialized-read
}
