// The first block takes the lock and leaves with it.
//@ launch add<<<2, 1>>> buf:i32:zeros*1 buf:i32:zeros*1
extern "C" __global__ void add(int* lock, int* total) {
    while (atomicCAS(lock, 0, 1) != 0) {}  // expect: deadlock
    __threadfence();
    *total += 1;  // expect-also: data-race
}
