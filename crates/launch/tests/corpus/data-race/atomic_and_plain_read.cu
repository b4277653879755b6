// An atomic on one side only: the plain read races with it.
//@ launch count<<<1, 64>>> buf:i32:zeros*1 buf:i32:zeros*1
extern "C" __global__ void count(int* counter, int* out) {
    atomicAdd(counter, 1);                   // expect-also: data-race
    if (threadIdx.x == 0) *out = *counter;   // expect: data-race
}
