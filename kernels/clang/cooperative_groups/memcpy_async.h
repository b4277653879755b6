// Copies that a group makes together and waits for together: see cuda.h.

#pragma once

#include "../cooperative_groups.h"
#include "../cuda_pipeline_primitives.h"

namespace cooperative_groups {

// `size` is in bytes: a number, or a cuda::aligned_size_t.
template <typename GROUP, typename T, typename SIZE>
WB_DEVICE void memcpy_async(const GROUP &group, T *to, const T *from, const SIZE &size)
{
    wb_copy_bytes<wb_align_by<T, SIZE>::of>(group, to, from, size);
    __pipeline_commit();
}
// Elements: so many as there is room for, and as there are.
template <typename GROUP, typename T, typename ROOM, typename SIZE>
WB_DEVICE void memcpy_async(const GROUP &group, T *to, const ROOM &room, const T *from, const SIZE &count)
{
    size_t elements = (size_t)room < (size_t)count ? (size_t)room : (size_t)count;
    wb_copy_bytes<wb_align_by<T, SIZE>::of>(group, to, from, elements * sizeof(T));
    __pipeline_commit();
}

// Until all of the group's copies but the last PRIOR are there, for all of the group.
template <unsigned int PRIOR, typename GROUP> WB_DEVICE void wait_prior(const GROUP &group)
{
    __pipeline_wait_prior(PRIOR);
    group.sync();
}
template <typename GROUP> WB_DEVICE void wait(const GROUP &group) { wait_prior<0>(group); }

} // namespace cooperative_groups
