// The next tile is loaded while others still read this one: the second barrier of the loop is missing.
//@ launch sum<<<1, 64>>> buf:i32:iota*256 buf:i32:zeros*64 i32:4
extern "C" __global__ void sum(const int* in, int* out, int tiles) {
    __shared__ int s[64];
    unsigned t = threadIdx.x;
    int total = 0;
    for (int tile = 0; tile < tiles; tile++) {
        s[t] = in[tile * 64 + t];  // expect: data-race
        __syncthreads();
        total += s[63 - t];  // expect-also: data-race
    }
    out[t] = total;
}
