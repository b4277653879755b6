// The same table, but everybody takes the fork with the lower number first.
//@ launch dine<<<16, 32>>> buf:u32:zeros*16 buf:u32:zeros*16
// expect: clean
//@ expect 1 = u32:1*16
extern "C" __global__ void dine(unsigned *forks, unsigned *meals)
{
    if (threadIdx.x != 0)
        return;
    unsigned next = (blockIdx.x + 1) % gridDim.x;
    unsigned *first = &forks[min(blockIdx.x, next)];
    unsigned *second = &forks[max(blockIdx.x, next)];
    while (atomicCAS(first, 0, 1) != 0) {
    }
    while (atomicCAS(second, 0, 1) != 0) {
    }
    meals[blockIdx.x]++;
    atomicExch(second, 0);
    atomicExch(first, 0);
}
