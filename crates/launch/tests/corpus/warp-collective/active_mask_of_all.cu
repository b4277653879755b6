// All lanes are together here, but nothing says that they have to be.
//@ launch sum<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*1
extern "C" __global__ void sum(const int* in, int* out) {
    int value = in[threadIdx.x];
    unsigned mask = __activemask();  // expect: warp-collective
    for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(mask, value, d);
    if (threadIdx.x == 0) *out = value;
}
