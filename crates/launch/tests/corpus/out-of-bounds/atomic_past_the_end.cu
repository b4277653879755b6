// A value for which there is no bin.
//@ launch count<<<1, 17>>> buf:i32:iota*17 buf:i32:zeros*16
extern "C" __global__ void count(const int* in, int* bins) {
    atomicAdd(&bins[in[threadIdx.x]], 1);  // expect: out-of-bounds
}
