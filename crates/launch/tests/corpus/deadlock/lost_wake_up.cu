// Block 0 waits until the other eight are done. The last of them wakes it if it has said that it sleeps: if
// that comes between its look and its word, nobody wakes it.
//@ launch join<<<9, 32>>> buf:u32:zeros*3
// cooperative
// in some orders
extern "C" __global__ void join(unsigned *state)
{
    unsigned *done = &state[0], *sleeps = &state[1], *wake = &state[2];
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        if (atomicAdd(done, 0) < gridDim.x - 1) {
            atomicExch(sleeps, 1);
            while (atomicAdd(wake, 0) == 0) {  // expect: deadlock
            }
        }
    } else if (atomicAdd(done, 1) == gridDim.x - 2) {
        if (atomicAdd(sleeps, 0) == 1)
            atomicExch(wake, 1);
    }
}
