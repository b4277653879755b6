// Within one block the block's fence and block atomics are enough.
// expect: clean
//@ launch pass<<<1, 64>>> buf:i32:zeros*1 buf:i32:zeros*1
//@ expect 1 = i32:42
extern "C" __global__ void pass(int* data, int* out) {
    __shared__ int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        *data = 42;
        __threadfence_block();
        atomicExch_block(&flag, 1);
    } else if (threadIdx.x == 32) {
        while (atomicAdd_block(&flag, 0) == 0) {}
        __threadfence_block();
        *out = *data;
    }
}
