// The first guess of a loop that swaps may be anything; so may the look before a lock is tried.
//@ launch add<<<4, 32>>> buf:f32:zeros*1 buf:i32:zeros*1 buf:i32:zeros*1
// expect: clean
//@ expect 0 = f32:128.0
//@ expect 2 = i32:4
extern "C" __global__ void add(float* sum, int* lock, int* count) {
    int old = *(volatile int*)sum, seen;
    do {
        seen = old;
        old = atomicCAS((int*)sum, seen, __float_as_int(__int_as_float(seen) + 1.0f));
    } while (seen != old);
    if (threadIdx.x > 0) return;
    while (*(volatile int*)lock != 0 || atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *count += 1;
    __threadfence();
    *(volatile int*)lock = 0;
}
