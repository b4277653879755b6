// Each block takes the lock by its own number. That of block 0 says that the lock is free.
//@ launch add<<<8, 1>>> buf:i32:zeros*1 buf:i32:zeros*1
extern "C" __global__ void add(int* lock, int* total) {
    while (atomicCAS(lock, 0, (int)blockIdx.x) != 0) {}  // expect: data-race "free"
    __threadfence();
    *total += blockIdx.x + 1;
    __threadfence();
    atomicExch(lock, 0);
}
