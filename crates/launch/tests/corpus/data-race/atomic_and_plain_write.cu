// The reset of the counter is not ordered before the other threads' atomics.
//@ launch count<<<1, 64>>> buf:i32:zeros*1
extern "C" __global__ void count(int* counter) {
    if (threadIdx.x == 0) *counter = 0;  // expect-also: data-race
    atomicAdd(counter, 1);               // expect: data-race
}
