// The launch gives 128 bytes; the kernel needs 256.
//@ launch turn<<<1, 64, 128>>> buf:i32:iota*64 buf:i32:zeros*64
extern "C" __global__ void turn(const int* in, int* out) {
    extern __shared__ int s[];
    unsigned t = threadIdx.x;
    s[t] = in[t];  // expect: out-of-bounds
    __syncthreads();
    out[t] = s[63 - t];
}
