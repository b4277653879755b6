// __threadfence_block() orders for threads of its own block; the reader is in another.
//@ launch pass<<<2, 1>>> buf:i32:zeros*1 buf:i32:zeros*1 buf:i32:zeros*1
extern "C" __global__ void pass(int* data, int* flag, int* out) {
    if (blockIdx.x == 0) {
        *data = 42;  // expect-also: data-race
        __threadfence_block();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {}
        __threadfence_block();
        *out = *data;  // expect: data-race
    }
}
