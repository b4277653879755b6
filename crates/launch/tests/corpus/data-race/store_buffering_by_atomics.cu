// Each thread says that it is there and looks for the other. Nothing keeps both atomics from returning 0.
// missed: what an atomic returns is taken as it comes, and in no order of turns do both return 0
//@ launch meet<<<2, 1>>> buf:i32:zeros*2 buf:i32:zeros*2
extern "C" __global__ void meet(int* here, int* seen) {
    unsigned me = blockIdx.x;
    atomicExch(&here[me], 1);                  // expect: data-race
    seen[me] = atomicAdd(&here[1 - me], 0);    // expect: data-race
}
