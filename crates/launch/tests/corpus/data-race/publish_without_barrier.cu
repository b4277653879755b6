// The fence of thread 0 orders what thread 0 has seen, not what the other threads of its block still write.
//@ launch pass<<<2, 64>>> buf:i32:zeros*64 buf:i32:zeros*1 buf:i32:zeros*64
extern "C" __global__ void pass(int* data, int* flag, int* out) {
    unsigned t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = 2 * t;  // expect-also: data-race
        if (t == 0) {
            __threadfence();
            atomicExch(flag, 1);
        }
    } else {
        if (t == 0) {
            while (atomicAdd(flag, 0) == 0) {}
            __threadfence();
        }
        __syncthreads();
        out[t] = data[t];  // expect: data-race
    }
}
