// The same with an edge in the middle of a warp.
// expect: clean
//@ launch some<<<1, 64>>> buf:i32:iota*40 i32:40 buf:i32:zeros*40
//@ expect 2 = i32:39,38,37,uninit*37
extern "C" __global__ void some(const int* in, int n, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t >= n) return;
    s[t] = in[t];
    __syncthreads();
    out[t] = s[n - 1 - t];
}
