// Adding onto a sum that nobody set to zero.
//@ launch add<<<1, 32>>> buf:i32:iota*32 buf:i32:uninit*32
extern "C" __global__ void add(const int* in, int* sum) {
    sum[threadIdx.x] += in[threadIdx.x];  // expect: uninitialized-read
}
