// A number where an address is expected.
//@ launch fill<<<1, 32>>> u64:4096
extern "C" __global__ void fill(int* out) {
    out[threadIdx.x] = 1;  // expect: out-of-bounds
}
