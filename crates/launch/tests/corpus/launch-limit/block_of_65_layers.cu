// In z a block has at most 64 threads.
//@ launch fill<<<1, 1,1,65>>> buf:i32:zeros*65  # expect: launch-limit
extern "C" __global__ void fill(int* out) {
    out[threadIdx.z] = 1;
}
