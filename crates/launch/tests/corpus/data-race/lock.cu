// A lock with fences inside it: after taking and before giving back.
// expect: clean
//@ launch add<<<8, 1>>> buf:i32:zeros*1 buf:i32:zeros*1
//@ expect 0 = i32:0
//@ expect 1 = i32:36
extern "C" __global__ void add(int* lock, int* total) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *total += blockIdx.x + 1;
    __threadfence();
    atomicExch(lock, 0);
}
