// An exchange gives what nobody has written, and that is stored.
//@ launch swap<<<1, 32>>> buf:i32:uninit*32 buf:i32:zeros*32
extern "C" __global__ void swap(int* words, int* out) {
    out[threadIdx.x] = atomicExch(&words[threadIdx.x], 7);  // expect: uninitialized-read
}
