// A tail launch comes after all that its parent has written, volatile or not.
//@ launch sum<<<16, 32>>> buf:u32:iota*512 buf:u32:zeros*1 u32:512
// expect: clean
//@ expect 1 = u32:130816
extern "C" __global__ void sum(volatile unsigned* data, unsigned* out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n == 1) {
        if (i == 0) *out = data[0];
        return;
    }
    unsigned half = n / 2;
    if (i < half) data[i] += data[i + half];
    if (i == 0) sum<<<(half + 31) / 32, 32, 0, cudaStreamTailLaunch>>>(data, out, half);
}
