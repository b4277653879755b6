// Those lanes that took a branch, as a group.
// expect: clean
//@ launch odd<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*32
//@ expect 1 = i32:0,31,0,31,uninit*28
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void odd(const int* in, int* out) {
    unsigned t = threadIdx.x;
    if (t % 2 == 1) {
        auto here = cg::coalesced_threads();
        out[t] = here.shfl(in[t], here.size() - 1);
    }
}
