// Each thread leaves the loop when its own number is done; the others still meet in it.
//@ launch search<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*64
extern "C" __global__ void search(const int* in, int* out) {
    unsigned t = threadIdx.x;
    int rounds = 0;
    while (rounds < in[t] / 20) {
        rounds++;
        __syncthreads();  // expect: barrier-divergence
    }
    out[t] = rounds;
}
