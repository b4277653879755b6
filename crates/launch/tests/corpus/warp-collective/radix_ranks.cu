// CUB ranks digits by warp-wide votes and matches.
// expect: clean
//@ launch rank<<<1, 64>>> buf:i32:uninit*64
//@ expect 0 = i32:0,28,56,20,48,12,uninit*58
#include <cub/block/block_radix_rank.cuh>
#include <cub/block/radix_rank_sort_operations.cuh>
extern "C" __global__ void rank(int* ranks) {
    using Rank = cub::BlockRadixRankMatch<64, 4, false>;
    __shared__ typename Rank::TempStorage storage;
    unsigned keys[1] = {threadIdx.x * 7 % 16};
    int mine[1];
    Rank(storage).RankKeys(keys, mine, cub::BFEDigitExtractor<unsigned>(0, 4));
    ranks[threadIdx.x] = mine[0];
}
