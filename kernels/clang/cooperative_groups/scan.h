// What the values of a group up to each of its threads come to: see cuda.h.

#pragma once

#include "details/lanes.h"

namespace cooperative_groups {

template <typename GROUP, typename T, typename OPERATION = plus<T>>
WB_DEVICE T inclusive_scan(const GROUP &group, T value, OPERATION operation = {})
{
    return wb_scan<true>(group, value, operation);
}

// Without the thread's own.
template <typename GROUP, typename T, typename OPERATION = plus<T>>
WB_DEVICE T exclusive_scan(const GROUP &group, T value, OPERATION operation = {})
{
    return wb_scan<false>(group, value, operation);
}

} // namespace cooperative_groups
