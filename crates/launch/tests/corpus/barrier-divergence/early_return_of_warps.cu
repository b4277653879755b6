// Whole warps return before the barrier. A thread that has exited is no longer waited for.
// expect: clean
//@ launch some<<<1, 128>>> buf:i32:iota*64 i32:64 buf:i32:zeros*64
//@ expect 2 = i32:63,62,61,uninit*61
extern "C" __global__ void some(const int* in, int n, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t >= n) return;
    s[t] = in[t];
    __syncthreads();
    out[t] = s[n - 1 - t];
}
