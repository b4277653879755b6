// The second counter is changed after the lock has been released.
//@ launch add<<<3, 1>>> buf:i32:zeros*1 buf:i32:zeros*2
extern "C" __global__ void add(int* lock, int* counts) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    counts[0] += 1;
    __threadfence();
    atomicExch(lock, 0);
    counts[1] += 1;  // expect: data-race "lock"
}
