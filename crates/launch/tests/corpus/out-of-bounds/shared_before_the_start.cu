// A halo of one element was forgotten.
//@ launch left<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*32
extern "C" __global__ void left(const int* in, int* out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    out[t] = s[t - 1];  // expect: out-of-bounds
}
