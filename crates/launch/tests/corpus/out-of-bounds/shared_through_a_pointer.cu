// A function that takes any pointer gets one into shared memory, and goes too far.
//@ launch fill<<<1, 1>>> i32:32 buf:i32:zeros*1
__device__ __noinline__ void zero(int* words, int n) {
    for (int i = 0; i <= n; i++) words[i] = 0;  // expect: out-of-bounds
}
extern "C" __global__ void fill(int n, int* out) {
    __shared__ int s[32];
    zero(s, n);
    *out = s[n - 1];
}
