// Each thread holds a lock, and not the same one.
//@ launch add<<<8, 1>>> buf:i32:zeros*2 buf:i32:zeros*1
extern "C" __global__ void add(int* locks, int* total) {
    int* lock = &locks[blockIdx.x % 2];
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *total += blockIdx.x + 1;  // expect: data-race
    __threadfence();
    atomicExch(lock, 0);
}
