// Lanes that took the two sides of an `if` run in any order, or in turns.
//@ launch sides<<<1, 32>>> buf:i32:iota*16 buf:i32:zeros*16
extern "C" __global__ void sides(const int* in, int* out) {
    __shared__ int s[16];
    unsigned t = threadIdx.x;
    if (t < 16) s[t] = 0;
    __syncthreads();
    if (t < 16) {
        s[t] = in[t];  // expect: data-race
    } else {
        out[t - 16] = s[t - 16];  // expect-also: data-race
    }
}
