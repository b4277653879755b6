// The same for so many rounds.
// expect: clean
//@ launch rounds<<<2, 1>>> buf:i32:zeros*1 i32:40000
//@ expect 0 = i32:0
extern "C" __global__ void rounds(int* turn, int n) {
    int me = blockIdx.x;
    while (n > 0) n -= atomicCAS(turn, me, 1 - me) == me;
}
