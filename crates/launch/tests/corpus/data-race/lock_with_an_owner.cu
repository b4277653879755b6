// Each block takes the lock by its own number and one, so that no number says that the lock is free. Thread 0
// also claims an entry by a number that is there already, which is no lock.
// expect: clean
//@ launch add<<<8, 1>>> buf:i32:zeros*1 buf:i32:zeros*1 buf:i32:zeros*8
//@ expect 0 = i32:0
//@ expect 1 = i32:36
extern "C" __global__ void add(int* lock, int* total, int* entries) {
    int me = blockIdx.x;
    if (atomicCAS(entries + me, 0, me) != 0) return;
    while (atomicCAS(lock, 0, me + 1) != 0) {}
    __threadfence();
    *total += me + 1;
    __threadfence();
    atomicCAS(lock, me + 1, 0);
}
