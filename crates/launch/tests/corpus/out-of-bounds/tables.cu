// Both kinds of table, up to their last element.
// expect: clean
//@ launch look<<<1, 8>>> buf:i32:iota*8 buf:i32:zeros*8
//@ expect 1 = i32:11,13,15,17,19,21,23,25
__constant__ int weights[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ int table[8] = {10, 11, 12, 13, 14, 15, 16, 17};
extern "C" __global__ void look(const int* in, int* out) {
    unsigned t = threadIdx.x;
    out[t] = weights[in[t]] + table[in[t]];
}
