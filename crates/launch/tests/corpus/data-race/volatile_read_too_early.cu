// One block hands on what another one writes, before or after it does.
//@ launch copy<<<2, 1>>> buf:i32:zeros*1 buf:i32:zeros*1
extern "C" __global__ void copy(volatile int* data, int* out) {
    if (blockIdx.x == 0) *out = *data + 1;  // expect: data-race
    else *data = 42;                        // expect: data-race
}
