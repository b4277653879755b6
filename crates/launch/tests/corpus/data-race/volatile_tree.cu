// Volatile accesses are no race by the letter of PTX. The first step reads squares nobody has waited for.
//@ launch squares<<<1, 64>>> buf:u32:iota*64 buf:u32:zeros*1 u32:64
extern "C" __global__ void squares(volatile unsigned* data, unsigned* out, unsigned n) {
    unsigned t = threadIdx.x;
    if (t < n) data[t] *= data[t];  // expect: data-race
    for (unsigned stride = 1; stride < n; stride *= 2) {
        if (t % (2 * stride) == 0 && t + stride < n) data[t] += data[t + stride];  // expect: data-race
        __syncthreads();
    }
    if (t == 0) *out = data[0];
}
