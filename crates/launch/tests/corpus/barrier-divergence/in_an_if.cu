// Half of the warp waits at a barrier that the other half walks past.
//@ launch skip<<<1, 32>>> buf:i32:zeros*32
extern "C" __global__ void skip(int* out) {
    unsigned t = threadIdx.x;
    if (t % 2 == 0) {
        out[t] = 1;
        __syncthreads();  // expect: barrier-divergence
    }
    out[t] += 2;
}
