// Blocks update the bins of one histogram: a barrier cannot help, an atomic addition does.
//@ launch count<<<4, 64>>> buf:i32:iota*256 buf:i32:zeros*8
extern "C" __global__ void count(const int* in, int* bins) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int bin = in[i] % 8;
    int before = bins[bin];
    bins[bin] = before + 1;  // expect: data-race
}
