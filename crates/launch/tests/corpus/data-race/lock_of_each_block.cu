// The lock lies in shared memory, and what it guards does not.
//@ launch add<<<3, 32>>> buf:i32:zeros*1
extern "C" __global__ void add(int* sum) {
    __shared__ int lock;
    if (threadIdx.x == 0) lock = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {}
        __threadfence();
        *sum += 1;  // expect: data-race "shared"
        __threadfence();
        atomicExch(&lock, 0);
    }
}
