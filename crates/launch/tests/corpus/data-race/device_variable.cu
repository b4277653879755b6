// A variable of the module is global memory like any other.
//@ launch sum<<<2, 32>>> buf:i32:iota*64 buf:i32:zeros*64
__device__ int total;
extern "C" __global__ void sum(const int* in, int* out) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    total += in[i];  // expect: data-race
    out[i] = i;
}
