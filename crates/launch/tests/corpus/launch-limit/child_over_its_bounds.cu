// A child that is compiled for blocks of at most 64 threads: the launch fails, and nobody asks.
//@ launch parent<<<1, 1>>> buf:i32:zeros*128
__global__ void __launch_bounds__(64) child(int* out) {
    out[threadIdx.x] = 1;
}
extern "C" __global__ void parent(int* out) {
    child<<<1, 128>>>(out);  // expect: launch-limit
}
