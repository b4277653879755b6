// Each block waits for the other's flag before it sets its own.
//@ launch pass<<<2, 1>>> buf:i32:zeros*2
extern "C" __global__ void pass(int* flags) {
    int me = blockIdx.x;
    while (atomicAdd(&flags[1 - me], 0) == 0) {}  // expect: deadlock "nothing"
    atomicExch(&flags[me], 1);
}
