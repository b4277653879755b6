// __ldg is for data that no thread of the grid writes, whatever barrier lies in between.
//@ launch turn<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*64
extern "C" __global__ void turn(int* data, int* out) {
    int t = threadIdx.x;
    data[t] *= 2;
    __syncthreads();
    out[t] = __ldg(&data[63 - t]);  // expect: data-race
}
