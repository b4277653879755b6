// Each block sets the lock to free before it takes it: another one may hold it by then.
//@ launch add<<<4, 1>>> buf:i32:uninit*1 buf:i32:zeros*1
extern "C" __global__ void add(int *lock, int *total) {
    *lock = 0;  // expect: data-race "sets"
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *total += blockIdx.x + 1;  // expect-also: data-race
    __threadfence();
    atomicExch(lock, 0);
}
