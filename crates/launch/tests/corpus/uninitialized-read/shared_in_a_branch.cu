// A flag that nobody has set decides.
//@ launch decide<<<1, 32>>> buf:i32:zeros*32 buf:i32:zeros*1
extern "C" __global__ void decide(const int* in, int* out) {
    __shared__ int flags[32];
    unsigned t = threadIdx.x;
    if (in[t] != 0) flags[t] = 1;
    __syncthreads();
    if (flags[t] > 0) {  // expect: uninitialized-read
        atomicAdd(out, 1);
    }
}
