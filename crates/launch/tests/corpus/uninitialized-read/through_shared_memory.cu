// Copied into shared memory, added up there, and stored from there.
//@ launch sum<<<1, 32>>> buf:i32:uninit*32 buf:i32:zeros*1
extern "C" __global__ void sum(const int* in, int* out) {
    __shared__ int s[32];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    for (unsigned half = 16; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) s[t] += s[t + half];
    }
    if (t == 0) {
        *out = s[0];  // expect: uninitialized-read
    }
}
