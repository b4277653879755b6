// One barrier in each branch: two barriers, each for half of the block.
//@ launch sides<<<1, 64>>> buf:i32:zeros*64
extern "C" __global__ void sides(int* out) {
    unsigned t = threadIdx.x;
    if (t < 32) {
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
