// Warps 0 and 1 meet at barrier 1. Warp 2 does not, and reads all the same.
//@ launch sum<<<1, 96>>> buf:i32:iota*96 buf:i32:zeros*32
extern "C" __global__ void sum(const int* in, int* out) {
    __shared__ int s[96];
    unsigned t = threadIdx.x;
    s[t] = 0;
    __syncthreads();
    if (t < 64) {
        s[t] = in[t];  // expect-also: data-race
        asm volatile("bar.sync 1, 64;" ::: "memory");
    } else {
        out[t - 64] = s[t - 64];  // expect: data-race
    }
}
