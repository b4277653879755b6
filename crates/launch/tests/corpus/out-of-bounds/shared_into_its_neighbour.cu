// Two shared arrays; past the end of one the other begins.
//@ launch pair<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*64 i32:32
extern "C" __global__ void pair(const int* in, int* out, int offset) {
    __shared__ int a[32];
    __shared__ int b[32];
    int t = threadIdx.x;
    a[t] = in[t];
    b[t] = -in[t];
    __syncthreads();
    out[t] = a[t + offset];       // expect: out-of-bounds
    out[t + 32] = b[t - offset];  // expect-also: out-of-bounds
}
