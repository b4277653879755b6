// Who finds the lock taken goes in all the same.
// in some orders
//@ launch add<<<3, 1>>> buf:i32:zeros*1 buf:i32:zeros*1
extern "C" __global__ void add(int* lock, int* sum) {
    if (atomicCAS(lock, 0, 1) == 0) __threadfence();
    *sum += 1;  // expect: data-race "inside"
    __threadfence();
    atomicExch(lock, 0);
}
