// The same with an atomic store.
// expect: clean
//@ launch any<<<2, 64>>> buf:i32:iota*64 buf:i32:zeros*1
//@ expect 1 = i32:1
extern "C" __global__ void any(const int* in, int* found) {
    if (in[threadIdx.x] > 40) atomicExch(found, 1);
}
