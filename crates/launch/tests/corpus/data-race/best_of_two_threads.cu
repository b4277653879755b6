// Two threads keep one best, and each compares with what the other may just have written.
//@ launch best<<<1, 64>>> buf:i32:iota*256 buf:i32:uninit*1 i32:256
extern "C" __global__ void best(const int* in, int* out, int n) {
    __shared__ int best;
    if (threadIdx.x == 0) best = -1;
    __syncthreads();
    for (int base = 0; base < n; base += 64) {
        int v = in[base + threadIdx.x];
        if (threadIdx.x % 32 == 0 && v > best) best = v;  // expect: data-race
    }
    __syncthreads();
    if (threadIdx.x == 0) *out = best;
}
