// Read, add, write back: two threads that meet in a bin count once.
//@ launch count<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*8
extern "C" __global__ void count(const int* in, int* bins) {
    bins[in[threadIdx.x] % 8]++;  // expect: data-race
}
