// The host allocated the input and did not fill it.
//@ launch twice<<<2, 32>>> buf:i32:uninit*64 buf:i32:zeros*64
extern "C" __global__ void twice(const int* in, int* out) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    out[i] = 2 * in[i];  // expect: uninitialized-read
}
