// All blocks wait for each other at a counter, and then read what the others have left.
//@ launch meet<<<4, 32>>> buf:u32:0 buf:i32:zeros*4 buf:i32:zeros*4
//@ expect 2 = i32:2,3,4,1
// expect: clean
// cooperative
extern "C" __global__ void meet(unsigned *count, int *left, int *found)
{
    if (threadIdx.x != 0)
        return;
    left[blockIdx.x] = blockIdx.x + 1;
    __threadfence();
    atomicAdd(count, 1);
    while (*(volatile unsigned *)count < gridDim.x) {
    }
    __threadfence();
    found[blockIdx.x] = left[(blockIdx.x + 1) % gridDim.x];
}
