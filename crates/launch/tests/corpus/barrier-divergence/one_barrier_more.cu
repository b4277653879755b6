// The first warp meets the other one at its next barrier, one line apart, and so on until the end.
//@ launch late<<<1, 64>>> buf:i32:zeros*64
extern "C" __global__ void late(int* out) {
    unsigned t = threadIdx.x;
    if (t < 32) {
        out[t] = 1;
        __syncthreads();  // expect: barrier-divergence
    }
    out[t] += 2;
    __syncthreads();  // expect-also: barrier-divergence
    out[t] += 3;
}
