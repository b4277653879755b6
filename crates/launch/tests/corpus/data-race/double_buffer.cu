// Two buffers and one barrier per step: a buffer is written again once all have passed the next barrier.
// expect: clean
//@ launch rotate<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*64 i32:5
//@ expect 1 = i32:5,6,7,8,uninit*60
extern "C" __global__ void rotate(const int* in, int* out, int steps) {
    __shared__ int s[2][64];
    unsigned t = threadIdx.x;
    s[0][t] = in[t];
    for (int step = 0; step < steps; step++) {
        __syncthreads();
        s[(step + 1) % 2][t] = s[step % 2][(t + 1) % 64];
    }
    out[t] = s[steps % 2][t];
}
