// The branch splits no warp, and the barrier is still not one for the whole block.
//@ launch skip<<<1, 64>>> buf:i32:zeros*64
extern "C" __global__ void skip(int* out) {
    unsigned t = threadIdx.x;
    if (t < 32) {
        out[t] = 1;
        __syncthreads();  // expect: barrier-divergence
    }
    out[t] += 2;
}
