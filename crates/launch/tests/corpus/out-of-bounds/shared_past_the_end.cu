// The shared array has 32 elements, the block 33 threads' worth of work.
//@ launch shift<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*32
extern "C" __global__ void shift(const int* in, int* out) {
    __shared__ int s[32];
    unsigned t = threadIdx.x;
    s[t + 1] = in[t];  // expect: out-of-bounds
    __syncthreads();
    out[t] = s[t];
}
