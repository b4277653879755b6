// A sum over tiles of two warps by cooperative groups, whose header relies on what shuffles order in
// practice: notes.
// expect: clean
//@ launch sum<<<1, 128>>> buf:i32:iota*128 buf:i32:zeros*128
//@ expect 1 = i32:2016,2016,uninit*126
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void sum(const int* in, int* out) {
    __shared__ cg::block_tile_memory<128> memory;
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<64>(block);
    int x = in[threadIdx.x];
    int total = cg::reduce(tile, x, cg::plus<int>());
    out[threadIdx.x] = total;
}
