// Within a warp __syncwarp() does what the block barrier does: lane 0 publishes and acquires for all.
// expect: clean
//@ launch pass<<<2, 32>>> buf:i32:zeros*32 buf:i32:zeros*1 buf:i32:zeros*32
//@ expect 2 = i32:31,30,29,uninit*29
extern "C" __global__ void pass(int* data, int* flag, int* out) {
    unsigned t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t;
        __syncwarp();
        if (t == 0) {
            __threadfence();
            atomicExch(flag, 1);
        }
    } else {
        if (t == 0) {
            while (atomicAdd(flag, 0) == 0) {}
            __threadfence();
        }
        __syncwarp();
        out[t] = data[31 - t];
    }
}
