// Two GPUs count in one word, with an atomic that is one step for all of them.
// gpus: 2
// expect: clean
//@ launch count<<<1, 32>>> buf:i32:zeros*1
//@ expect 0 = i32:64
extern "C" __global__ void count(int* counter) {
    atomicAdd_system(counter, 1);
}
