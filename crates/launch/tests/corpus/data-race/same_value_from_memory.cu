// Every thread computes the same value from what the host has written, and stores it to the same place.
//@ launch scale<<<2, 32>>> buf:i32:7*64 buf:i32:zeros*1
extern "C" __global__ void scale(const int* in, int* out) {
    *out = 2 * in[blockIdx.x * blockDim.x + threadIdx.x];  // expect: data-race "even"
}
