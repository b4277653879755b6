// Atomics do not race with each other. After the barrier the counts may be read plainly.
// expect: clean
//@ launch count<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*8
//@ expect 1 = i32:8,8,8,8,8,8,8,8
extern "C" __global__ void count(const int* in, int* out) {
    __shared__ int bins[8];
    unsigned t = threadIdx.x;
    if (t < 8) bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[in[t] % 8], 1);
    __syncthreads();
    if (t < 8) out[t] = bins[t];
}
