// The kernel is compiled for blocks of at most 128 threads.
//@ launch count<<<1, 256>>> buf:i32:zeros*256  # expect: launch-limit "128"
extern "C" __global__ void __launch_bounds__(128) count(int* out) {
    out[threadIdx.x] = threadIdx.x;
}
