// Each thread reads what its neighbour stores in shared memory. Nothing says that it has been there.
//@ launch rotate<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*64
extern "C" __global__ void rotate(const int* in, int* out) {
    __shared__ int s[64];
    unsigned t = threadIdx.x;
    s[t] = in[t];              // expect-also: data-race
    out[t] = s[(t + 1) % 64];  // expect: data-race  expect-also: uninitialized-read
}
