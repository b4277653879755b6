// All threads write, a barrier, one thread publishes with a fence; elsewhere one waits, a barrier, all read.
// expect: clean
//@ launch pass<<<2, 64>>> buf:i32:zeros*64 buf:i32:zeros*1 buf:i32:zeros*64
//@ expect 2 = i32:0,2,4,6,uninit*60
extern "C" __global__ void pass(int* data, int* flag, int* out) {
    unsigned t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = 2 * t;
        __syncthreads();
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
        out[t] = data[t];
    }
}
