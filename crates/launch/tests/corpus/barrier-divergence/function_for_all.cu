// Everybody calls the function with the barrier.
// expect: clean
//@ launch all<<<1, 64>>> buf:i32:zeros*64
//@ expect 0 = i32:64,63,62,uninit*61
__device__ __noinline__ int step(int* s, unsigned t) {
    s[t] = t + 1;
    __syncthreads();
    return s[63 - t];
}
extern "C" __global__ void all(int* out) {
    __shared__ int s[64];
    unsigned t = threadIdx.x;
    out[t] = step(s, t);
}
