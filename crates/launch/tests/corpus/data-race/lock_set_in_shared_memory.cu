// The first thread sets the lock of its block, and the others take it without a barrier between.
//@ launch add<<<2, 64>>> buf:i32:iota*128 buf:i32:uninit*2
extern "C" __global__ void add(const int *in, int *out) {
    __shared__ int lock;
    __shared__ int total;
    if (threadIdx.x == 0) {
        total = 0;  // expect-also: data-race
        lock = 0;  // expect: data-race "sets"
    }
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence_block();
            total += in[blockIdx.x * 64 + threadIdx.x];  // expect-also: data-race
            __threadfence_block();
            atomicExch(&lock, 0);
            done = true;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = total;
}
