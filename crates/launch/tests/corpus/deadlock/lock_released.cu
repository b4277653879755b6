// Every lane of a warp takes the lock in its turn and gives it back (since Volta lanes go on by themselves).
// expect: clean
//@ launch add<<<2, 32>>> buf:i32:zeros*1 buf:i32:zeros*1
//@ expect 1 = i32:64
extern "C" __global__ void add(int* lock, int* total) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *total += 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
