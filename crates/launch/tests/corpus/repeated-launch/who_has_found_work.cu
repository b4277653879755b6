// Threads that have found work launch the same child, which takes it from a queue: others have found none.
// expect: clean
//@ launch driver<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*1 buf:i32:zeros*16
//@ expect 1 = i32:16
extern "C" __global__ void take(int* next, int* taken) {
    taken[atomicAdd(next, 1)] = 1;
}
extern "C" __global__ void driver(const int* work, int* next, int* taken) {
    if (work[threadIdx.x] % 2 == 0) take<<<1, 1>>>(next, taken);
}
