// `volatile` makes no addition atomic: two threads read the same count.
//@ launch count<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*8
extern "C" __global__ void count(const int* in, int* out) {
    __shared__ volatile int bins[8];
    unsigned t = threadIdx.x;
    if (t < 8) bins[t] = 0;
    __syncthreads();
    bins[in[t] % 8]++;  // expect: data-race
    __syncthreads();
    if (t < 8) out[t] = bins[t];
}
