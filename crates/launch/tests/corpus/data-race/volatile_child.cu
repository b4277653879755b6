// The child of a grid adds up what other blocks of its parent may not have written yet.
//@ launch sum<<<16, 32>>> buf:u32:iota*512 buf:u32:zeros*1 u32:512
extern "C" __global__ void sum(volatile unsigned* data, unsigned* out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n == 1) {
        if (i == 0) *out = data[0];
        return;
    }
    unsigned half = n / 2;
    if (i < half) data[i] += data[i + half];  // expect: data-race|child-visibility
    if (i == 0) sum<<<(half + 31) / 32, 32, 0, cudaStreamFireAndForget>>>(data, out, half);
}
