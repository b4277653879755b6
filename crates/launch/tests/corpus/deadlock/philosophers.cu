// Sixteen blocks sit around a table and take the fork on their left, then that on their right: where all have
// the first one, nobody gets the second.
//@ launch dine<<<16, 32>>> buf:u32:zeros*16 buf:u32:zeros*16
// in some orders
extern "C" __global__ void dine(unsigned *forks, unsigned *meals)
{
    if (threadIdx.x != 0)
        return;
    unsigned *left = &forks[blockIdx.x];
    unsigned *right = &forks[(blockIdx.x + 1) % gridDim.x];
    while (atomicCAS(left, 0, 1) != 0) {
    }
    while (atomicCAS(right, 0, 1) != 0) {  // expect: deadlock
    }
    meals[blockIdx.x]++;
    atomicExch(right, 0);
    atomicExch(left, 0);
}
