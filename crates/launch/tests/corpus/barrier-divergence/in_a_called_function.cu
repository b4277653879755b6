// The barrier stands in a function; only half of the block calls it.
//@ launch half<<<1, 64>>> buf:i32:zeros*64
__device__ __noinline__ int step(int* out, unsigned t) {
    out[t] = 3;
    __syncthreads();  // expect-also: barrier-divergence
    return out[t] + 1;
}
extern "C" __global__ void half(int* out) {
    unsigned t = threadIdx.x;
    int value = 1;
    if (t >= 32) value = step(out, t);  // expect: barrier-divergence
    out[t] = value;
}
