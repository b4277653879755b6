// The host passed no buffer.
//@ launch fill<<<1, 32>>> u64:0
extern "C" __global__ void fill(int* out) {
    out[threadIdx.x] = 1;  // expect: out-of-bounds
}
