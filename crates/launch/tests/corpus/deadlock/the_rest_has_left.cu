// A block barrier counts the threads that are left.
// expect: clean
//@ launch wait<<<1, 96>>> buf:i32:zeros*96
//@ expect 0 = i32:2,2,2,uninit*93
extern "C" __global__ void wait(int* out) {
    unsigned t = threadIdx.x;
    if (t >= 32) return;
    out[t] = 1;
    __syncthreads();
    out[t] += 1;
}
