// As in lock_set_in_shared_memory, with the barrier: nobody takes the lock before it is set.
//@ launch add<<<2, 64>>> buf:i32:iota*128 buf:i32:uninit*2
//@ expect 1 = i32:2016,6112
// expect: clean
extern "C" __global__ void add(const int *in, int *out) {
    __shared__ int lock;
    __shared__ int total;
    if (threadIdx.x == 0) {
        total = 0;
        lock = 0;
    }
    __syncthreads();
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence_block();
            total += in[blockIdx.x * 64 + threadIdx.x];
            __threadfence_block();
            atomicExch(&lock, 0);
            done = true;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = total;
}
