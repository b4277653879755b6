// The ticket counts the blocks; nothing orders their sums before it.
//@ launch sum<<<4, 32>>> buf:i32:iota*128 buf:i32:zeros*4 buf:u32:zeros*1 buf:i32:zeros*1
extern "C" __global__ void sum(const int* in, int* partial, unsigned* ticket, int* out) {
    unsigned t = threadIdx.x;
    int sum = in[blockIdx.x * 32 + t];
    for (unsigned half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffff, sum, half);
    if (t == 0) {
        partial[blockIdx.x] = sum;  // expect-also: data-race
        if (atomicAdd(ticket, 1) == gridDim.x - 1) {
            int total = 0;
            for (unsigned b = 0; b < gridDim.x; b++) {
                total += partial[b];  // expect: data-race
            }
            *out = total;
        }
    }
}
