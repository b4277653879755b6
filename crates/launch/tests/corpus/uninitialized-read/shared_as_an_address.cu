// An index that nobody has written.
//@ launch scatter<<<1, 32>>> buf:i32:iota*16 buf:i32:zeros*32
extern "C" __global__ void scatter(const int* in, int* out) {
    __shared__ int place[32];
    unsigned t = threadIdx.x;
    if (t < 16) place[t] = in[t];
    __syncthreads();
    atomicAdd(&out[place[t] & 31], 1);  // expect: uninitialized-read
}
