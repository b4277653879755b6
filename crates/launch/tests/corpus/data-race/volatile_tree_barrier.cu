// A barrier before each step: every value that a thread reads has been written before.
//@ launch squares<<<1, 64>>> buf:u32:iota*64 buf:u32:zeros*1 u32:64
// expect: clean
//@ expect 1 = u32:85344
extern "C" __global__ void squares(volatile unsigned* data, unsigned* out, unsigned n) {
    unsigned t = threadIdx.x;
    if (t < n) data[t] *= data[t];
    for (unsigned stride = 1; stride < n; stride *= 2) {
        __syncthreads();
        if (t % (2 * stride) == 0 && t + stride < n) data[t] += data[t + stride];
    }
    if (t == 0) *out = data[0];
}
