// The tiles of cooperative groups: only one of them takes part here.
// expect: clean
//@ launch sums<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*2
//@ expect 1 = i32:0,376
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void sums(const int* in, int* out) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    unsigned t = threadIdx.x;
    if (t < 16) return;
    int sum = in[t];
    for (int half = 8; half > 0; half /= 2) sum += tile.shfl_down(sum, half);
    if (tile.thread_rank() == 0) out[t / 16] = sum;
}
