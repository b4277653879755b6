// As much as is needed, to the last byte.
// expect: clean
//@ launch turn<<<1, 64, 256>>> buf:i32:iota*64 buf:i32:zeros*64
//@ expect 1 = i32:63,62,61,uninit*61
extern "C" __global__ void turn(const int* in, int* out) {
    extern __shared__ int s[];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    out[t] = s[63 - t];
}
