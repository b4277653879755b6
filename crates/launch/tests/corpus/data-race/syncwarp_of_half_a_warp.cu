// The lower half waits for itself and then reads what the upper half has stored.
//@ launch lower<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*16
extern "C" __global__ void lower(const int* in, int* out) {
    __shared__ int s[32];
    unsigned t = threadIdx.x;
    s[t] = in[t];  // expect-also: data-race
    if (t < 16) {
        __syncwarp(0x0000ffff);
        out[t] = s[t + 16];  // expect: data-race
    }
}
