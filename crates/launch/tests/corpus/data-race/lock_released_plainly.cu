// A lock that is taken by an atomic operation, and released by a plain write.
//@ launch add<<<4, 1>>> buf:i32:zeros*1 buf:i32:zeros*1
extern "C" __global__ void add(int *lock, int *total) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *total += blockIdx.x + 1;  // expect-also: data-race
    __threadfence();
    *lock = 0;  // expect: data-race "releases"
}
