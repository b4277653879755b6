// The host asks for a block that is too large.
//@ launch fill<<<1, 2048>>> buf:i32:zeros*2048  # expect: launch-limit
extern "C" __global__ void fill(int* out) {
    out[threadIdx.x] = 1;
}
