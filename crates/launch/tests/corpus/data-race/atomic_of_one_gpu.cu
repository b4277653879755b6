// Two GPUs count in one word, with an atomic that is one step for the threads of one GPU alone.
// gpus: 2
//@ launch count<<<1, 32>>> buf:i32:zeros*1
extern "C" __global__ void count(int* counter) {
    atomicAdd(counter, 1); // expect: data-race
}
