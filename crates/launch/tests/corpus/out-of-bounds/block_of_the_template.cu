// The kernel is compiled for blocks of 128 threads and launched with 64, with shared memory for those.
//@ launch sum<<<1, 64, 256>>> buf:i32:iota*128 buf:i32:uninit*1
template <unsigned SIZE> __device__ void reduce(const int *in, int *out) {
    extern __shared__ int s[];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (unsigned d = SIZE / 2; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];  // expect: out-of-bounds
        __syncthreads();
    }
    if (t == 0) *out = s[0];
}
extern "C" __global__ void sum(const int *in, int *out) { reduce<128>(in, out); }
