// An unsigned number is always at least 0.
//@ launch fill<<<1, 1>>> buf:i32:zeros*16 u32:15
extern "C" __global__ void fill(int* out, unsigned n) {
    for (unsigned i = n; i >= 0; i--) atomicAdd(&out[i % 16], 1);  // expect: step-limit
}
