// A barrier after loading the tile, and one before the next is loaded.
// expect: clean
//@ launch sum<<<1, 64>>> buf:i32:iota*256 buf:i32:zeros*64 i32:4
//@ expect 1 = i32:636,632,628,uninit*61
extern "C" __global__ void sum(const int* in, int* out, int tiles) {
    __shared__ int s[64];
    unsigned t = threadIdx.x;
    int total = 0;
    for (int tile = 0; tile < tiles; tile++) {
        s[t] = in[tile * 64 + t];
        __syncthreads();
        total += s[63 - t];
        __syncthreads();
    }
    out[t] = total;
}
