// A counter for each block.
// expect: clean
//@ launch count<<<2, 32>>> buf:i32:zeros*2
//@ expect 0 = i32:32,32
extern "C" __global__ void count(int* counters) {
    atomicAdd_block(&counters[blockIdx.x], 1);
}
