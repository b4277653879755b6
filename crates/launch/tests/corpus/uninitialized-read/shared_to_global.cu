// Half of the array is stored, all of it is copied out.
//@ launch copy<<<1, 32>>> buf:i32:iota*16 buf:i32:zeros*32
extern "C" __global__ void copy(const int* in, int* out) {
    __shared__ int s[32];
    unsigned t = threadIdx.x;
    if (t < 16) s[t] = in[t];
    __syncthreads();
    out[t] = s[t];  // expect: uninitialized-read
}
