// The same with the barrier.
// expect: clean
//@ launch rotate<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*8
//@ expect 1 = i32:1,2,3,4,60,61,62,63
extern "C" __global__ void rotate(const int* in, int* out) {
    __shared__ int s[64];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 4) out[t] = s[(t + 1) % 64];
    if (t >= 60) out[t - 56] = s[t];
}
