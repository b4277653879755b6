// A bin too many, in shared memory.
//@ launch count<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*16
extern "C" __global__ void count(const int* in, int* out) {
    __shared__ int bins[16];
    unsigned t = threadIdx.x;
    if (t < 16) bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[(in[t] + 1) / 2], 1);  // expect: out-of-bounds
    __syncthreads();
    if (t < 16) out[t] = bins[t];
}
