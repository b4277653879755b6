// The last block reads the partial sums through volatile, and no fence stands before the tickets.
//@ launch sum<<<4, 32>>> buf:i32:iota*128 buf:i32:uninit*4 buf:i32:zeros*1
__device__ unsigned ticket;
extern "C" __global__ void sum(const int* in, volatile int* partial, int* out) {
    __shared__ bool last;
    unsigned t = threadIdx.x;
    int sum = in[blockIdx.x * 32 + t];
    for (unsigned half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffff, sum, half);
    if (t == 0) {
        partial[blockIdx.x] = sum;
        last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        int total = 0;
        for (unsigned b = 0; b < gridDim.x; b++) total += partial[b];  // expect: data-race
        *out = total;
    }
}
