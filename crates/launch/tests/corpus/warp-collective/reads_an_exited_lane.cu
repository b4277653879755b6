// The upper half has returned; the first step of the tree adds its values all the same.
//@ launch sum<<<1, 32>>> buf:i32:iota*32 i32:16 buf:i32:zeros*1
extern "C" __global__ void sum(const int* in, int n, int* out) {
    int t = threadIdx.x;
    if (t >= n) return;
    int sum = in[t];
    for (int half = 16; half > 0; half /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, half);  // expect: warp-collective
    }
    if (t == 0) *out = sum;  // expect-also: uninitialized-read
}
