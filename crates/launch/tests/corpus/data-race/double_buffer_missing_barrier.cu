// The same with a barrier in every second step only.
//@ launch rotate<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*64 i32:5
extern "C" __global__ void rotate(const int* in, int* out, int steps) {
    __shared__ int s[2][64];
    unsigned t = threadIdx.x;
    s[0][t] = in[t];
    s[1][t] = 0;
    for (int step = 0; step < steps; step++) {
        if (step % 2 == 0) __syncthreads();
        s[(step + 1) % 2][t] = s[step % 2][(t + 1) % 64];  // expect: data-race
    }
    out[t] = s[steps % 2][t];
}
