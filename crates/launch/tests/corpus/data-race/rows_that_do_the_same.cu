// The index is for a block of one row, and the block has four: each row writes what the first one does.
//@ launch twice<<<2, 16,4>>> buf:i32:iota*32 buf:i32:uninit*32
extern "C" __global__ void twice(const int *in, int *out) {
    int i = blockIdx.x * 16 + threadIdx.x;
    out[i] = 2 * in[i];  // expect: data-race
}
