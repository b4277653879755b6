// Each block goes round as often as it has items, and waits for all the others each time.
//@ launch pass<<<4, 32>>> buf:i32:zeros*4
// cooperative
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void pass(int* out) {
    cg::grid_group grid = cg::this_grid();
    for (unsigned item = 0; item <= blockIdx.x; item++) {
        if (threadIdx.x == 0) out[blockIdx.x] += 1;
        grid.sync();  // expect: deadlock "only"
    }
}
