// What the values of a group come to, for each of its threads: see cuda.h.

#pragma once

#include "details/lanes.h"

namespace cooperative_groups {

template <typename GROUP, typename T, typename OPERATION>
WB_DEVICE T reduce(const GROUP &group, T value, OPERATION operation)
{
    value = wb_scan<true>(group, value, operation);
    if constexpr (GROUP::WB_IS_OF_A_WARP) {
        value = group.shfl(value, group.size() - 1);
    }
    return value;
}

// Of a tile, in the order that NVIDIA's header has.
template <unsigned int SIZE, typename PARENT, typename T, typename OPERATION>
WB_DEVICE T reduce(const thread_block_tile<SIZE, PARENT> &tile, T value, OPERATION operation)
{
    for (unsigned int distance = SIZE / 2; distance > 0; distance /= 2) {
        value = operation(value, tile.shfl_xor(value, distance));
    }
    return value;
}

} // namespace cooperative_groups
