// The host computed 10 / 32 blocks.
//@ launch fill<<<0, 32>>> buf:i32:zeros*32  # expect: launch-limit
extern "C" __global__ void fill(int* out) {
    out[threadIdx.x] = 1;
}
