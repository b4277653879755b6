// The number of rounds was never stored.
//@ launch rounds<<<1, 1>>> buf:i32:uninit*1 buf:i32:zeros*1
extern "C" __global__ void rounds(const int* n, int* out) {
    for (int i = 0; i < *n; i++) {  // expect: uninitialized-read
        atomicAdd(out, 1);
    }
}
