// The same within one warp.
//@ launch sides<<<1, 32>>> buf:i32:zeros*32
extern "C" __global__ void sides(int* out) {
    unsigned t = threadIdx.x;
    if (t < 8) {
        out[t] = 1;
        __syncthreads();  // expect: barrier-divergence
        out[t] += 5;
    } else {
        out[t] = 2;
        __syncthreads();  // expect-also: barrier-divergence
        out[t] *= 7;
    }
    out[t] += 1;
}
