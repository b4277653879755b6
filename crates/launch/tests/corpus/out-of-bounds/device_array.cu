// A variable of the module with 16 elements.
//@ launch look<<<1, 32>>> buf:i32:zeros*32
__device__ int table[16] = {1, 2, 3};
extern "C" __global__ void look(int* out) {
    unsigned t = threadIdx.x;
    out[t] = table[t];  // expect: out-of-bounds
}
