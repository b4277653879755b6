// Two blocks hand a turn to each other until somebody stops them, and nobody does: memory changes all the time.
//@ launch rounds<<<2, 1>>> buf:i32:zeros*1 buf:i32:zeros*1
extern "C" __global__ void rounds(int* turn, int* stop) {
    int me = blockIdx.x;
    while (atomicAdd(stop, 0) == 0 && atomicCAS(turn, me, 1 - me) <= 1) {}  // expect: deadlock "livelock"
}
