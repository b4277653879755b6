// A grid barrier by hand whose last block sets the counter back after it has opened: a block that is at the
// next barrier by then is forgotten.
//@ launch twice<<<4, 32>>> buf:u32:zeros*2
// cooperative
// in some orders
extern "C" __global__ void twice(unsigned *barrier)
{
    if (threadIdx.x != 0)
        return;
    for (unsigned round = 1; round <= 2; round++) {
        if (atomicAdd(&barrier[0], 1) == gridDim.x - 1) {
            atomicExch(&barrier[1], round);
            atomicExch(&barrier[0], 0);
        } else {
            while (atomicAdd(&barrier[1], 0) < round) {  // expect: deadlock
            }
        }
    }
}
