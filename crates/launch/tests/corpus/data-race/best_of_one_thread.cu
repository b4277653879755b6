// One thread keeps the best. A compiler reads it in all threads, and all but that one discard the value.
//@ launch best<<<1, 64>>> buf:i32:iota*256 buf:i32:uninit*1 i32:256
// expect: clean
//@ expect 1 = i32:192
extern "C" __global__ void best(const int* in, int* out, int n) {
    __shared__ int best;
    if (threadIdx.x == 0) best = -1;
    for (int base = 0; base < n; base += 64) {
        int v = in[base + threadIdx.x];
        if (threadIdx.x == 0 && v > best) best = v;
    }
    if (threadIdx.x == 0) *out = best;
}
