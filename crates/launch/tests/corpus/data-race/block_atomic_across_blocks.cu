// atomicAdd_block is atomic for threads of one block only; two blocks use it on one counter.
//@ launch count<<<2, 32>>> buf:i32:zeros*1
extern "C" __global__ void count(int* counter) {
    atomicAdd_block(counter, 1);  // expect: data-race
}
