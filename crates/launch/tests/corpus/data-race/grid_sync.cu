// The grid barrier of cooperative groups.
// expect: clean
//@ launch swap<<<4, 32>>> buf:i32:zeros*128 buf:i32:zeros*128
// cooperative
//@ expect 1 = i32:32,33,34,35,uninit*124
#include <cooperative_groups.h>
extern "C" __global__ void swap(int* data, int* out) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    data[i] = i;
    cooperative_groups::this_grid().sync();
    out[i] = data[(i + 32) % 128];
}
