// What the values of a group up to each of its threads come to: see cuda.h.

#pragma once

#include "details/lanes.h"

namespace cooperative_groups {

template <typename GROUP, typename T, typename OPERATION = plus<T>>
WB_DEVICE T inclusive_scan(const GROUP &group, T value, OPERATION operation = {})
{
    return wb_up_to_this(group, value, operation);
}

// Without the thread's own; the first one has T().
template <typename GROUP, typename T, typename OPERATION = plus<T>>
WB_DEVICE T exclusive_scan(const GROUP &group, T value, OPERATION operation = {})
{
    T before = group.shfl_up(wb_up_to_this(group, value, operation), 1);
    return group.thread_rank() == 0 ? T() : before;
}

} // namespace cooperative_groups
