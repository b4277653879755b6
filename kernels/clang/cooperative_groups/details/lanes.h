// What reduce.h and scan.h have in common.

#pragma once

#include "../../cooperative_groups.h"

namespace cooperative_groups {

#define WB_OPERATION(name, result)                                                                                     \
    template <typename T> struct name {                                                                                \
        __device__ WB_INLINE T operator()(T a, T b) const { return result; }                                           \
    };
WB_OPERATION(plus, a + b)
WB_OPERATION(less, b < a ? b : a)
WB_OPERATION(greater, a < b ? b : a)
WB_OPERATION(bit_and, a &b)
WB_OPERATION(bit_or, a | b)
WB_OPERATION(bit_xor, a ^ b)
#undef WB_OPERATION

// What the values of this lane and of those before it come to; without its own, T() for the first one.
template <bool WITH_OWN, typename GROUP, typename T, typename OPERATION>
WB_DEVICE T wb_scan(const GROUP &group, T value, OPERATION &operation)
{
    static_assert(GROUP::WB_IS_OF_A_WARP,
                  "the group is to be lanes of a warp: a tile of tiled_partition<32>(block), or a coalesced group");
    if constexpr (GROUP::WB_IS_OF_A_WARP) {
        for (unsigned int distance = 1; distance < group.size(); distance *= 2) {
            T before = group.shfl_up(value, distance);
            if (distance <= group.thread_rank()) {
                value = operation(value, before);
            }
        }
        if constexpr (!WITH_OWN) {
            T before = group.shfl_up(value, 1);
            value = group.thread_rank() == 0 ? T() : before;
        }
    }
    return value;
}

} // namespace cooperative_groups
