// The warps go round a loop with a barrier one, two and three times.
//@ launch loop<<<1, 96>>> buf:i32:zeros*96
extern "C" __global__ void loop(int* out) {
    unsigned t = threadIdx.x;
    for (unsigned i = 0; i <= t / 32; i++) {
        out[t] += i;
        __syncthreads();  // expect: barrier-divergence
    }
    out[t] += 1;
}
