// A shuffle hands over values in registers; no memory is shared.
// expect: clean
//@ launch reduce<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*1
//@ expect 1 = i32:496
extern "C" __global__ void reduce(const int* in, int* out) {
    int sum = in[threadIdx.x];
    for (unsigned half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffff, sum, half);
    if (threadIdx.x == 0) *out = sum;
}
