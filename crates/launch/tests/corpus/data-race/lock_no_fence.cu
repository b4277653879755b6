// One holder at a time, and still no order: relaxed atomics alone do not hand the data over.
//@ launch add<<<8, 1>>> buf:i32:zeros*1 buf:i32:zeros*1
extern "C" __global__ void add(int* lock, int* total) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    *total += blockIdx.x + 1;  // expect: data-race
    atomicExch(lock, 0);
}
