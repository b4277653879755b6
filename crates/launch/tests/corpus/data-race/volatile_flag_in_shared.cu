// A volatile flag in shared memory, with a fence for the block on both sides.
//@ launch pass<<<1, 64>>> buf:i32:uninit*32
// expect: clean
//@ expect 0 = i32:0,7,14,uninit*29
extern "C" __global__ void pass(int* out) {
    __shared__ volatile int flag;
    __shared__ int data[32];
    unsigned t = threadIdx.x;
    if (t == 0) flag = 0;
    __syncthreads();
    if (t < 32) {
        data[t] = t * 7;
        __threadfence_block();
        __syncwarp();
        if (t == 0) flag = 1;
    } else {
        if (t == 32) while (!flag) {}
        __syncwarp();
        __threadfence_block();
        out[t - 32] = data[t - 32];
    }
}
