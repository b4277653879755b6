// The same with the question.
// expect: clean
//@ launch copy<<<2, 64>>> buf:i32:iota*100 i32:100 buf:i32:zeros*100
//@ expect 2 = i32:0,1,2,3,uninit*96
extern "C" __global__ void copy(const int* in, unsigned n, int* out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}
