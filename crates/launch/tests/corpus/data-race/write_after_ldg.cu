// The same the other way round: read by __ldg first, written behind a barrier.
//@ launch turn<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*64
extern "C" __global__ void turn(int* data, int* out) {
    int t = threadIdx.x;
    out[t] = __ldg(&data[63 - t]);  // expect-also: data-race
    __syncthreads();
    data[t] *= 2;  // expect: data-race
}
