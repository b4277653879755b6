// 128 threads for 100 elements, and nobody asks.
//@ launch copy<<<2, 64>>> buf:i32:iota*128 buf:i32:zeros*100
extern "C" __global__ void copy(const int* in, int* out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];  // expect: out-of-bounds
}
