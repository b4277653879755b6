// Each block publishes its sum with a fence and takes a ticket; the last, after its own fence, adds them up.
// expect: clean
//@ launch sum<<<4, 32>>> buf:i32:iota*128 buf:i32:zeros*4 buf:u32:zeros*1 buf:i32:zeros*1
//@ expect 1 = i32:496,1520,2544,3568
//@ expect 3 = i32:8128
extern "C" __global__ void sum(const int* in, int* partial, unsigned* ticket, int* out) {
    unsigned t = threadIdx.x;
    int sum = in[blockIdx.x * 32 + t];
    for (unsigned half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffff, sum, half);
    if (t == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        if (atomicAdd(ticket, 1) == gridDim.x - 1) {
            __threadfence();
            int total = 0;
            for (unsigned b = 0; b < gridDim.x; b++) total += partial[b];
            *out = total;
        }
    }
}
