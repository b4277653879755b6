// The value goes through a function that is called, and is stored by the caller.
//@ launch twice<<<1, 32>>> buf:i32:uninit*32 buf:i32:zeros*32
__device__ __noinline__ int doubled(int x) {
    return 2 * x;
}
extern "C" __global__ void twice(const int* in, int* out) {
    int value = doubled(in[threadIdx.x]);
    out[threadIdx.x] = value;  // expect: uninitialized-read
}
