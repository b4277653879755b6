// A transpose that forgets to swap the blocks: two of them write the same elements.
//@ launch copy<<<dim3(1, 2), dim3(8, 8)>>> buf:i32:iota*128 buf:i32:zeros*128
extern "C" __global__ void copy(const int* in, int* out) {
    unsigned y = blockIdx.y * 8 + threadIdx.y;
    out[threadIdx.y * 8 + threadIdx.x] = in[y * 8 + threadIdx.x];  // expect: data-race
}
