// Threads that look before the first visitor stores the next level of a search store the same.
//@ launch visit<<<4, 32>>> buf:i32:zeros*64 buf:i32:zeros*1 i32:3
// expect: clean
//@ expect 0 = i32:3,3,3,uninit*61
//@ expect 1 = i32:1
extern "C" __global__ void visit(volatile int* level, volatile int* changed, int next) {
    unsigned node = (blockIdx.x * blockDim.x + threadIdx.x) % 64;
    if (level[node] == 0) {
        level[node] = next;
        *changed = 1;
    }
}
