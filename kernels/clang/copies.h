// Copies from global to shared memory that go on while the thread does: cp.async, which GPUs have from compute
// capability 8.0 on. Before that they are done at once, as in NVIDIA's headers.

#pragma once

struct __align__(1) wb_1 { char bytes[1]; };
struct __align__(2) wb_2 { char bytes[2]; };
struct __align__(4) wb_4 { char bytes[4]; };
struct __align__(8) wb_8 { char bytes[8]; };
struct __align__(16) wb_16 { char bytes[16]; };

#if __CUDA_ARCH__ >= 800
#define WB_COPY(unit, cache)                                                                                           \
    WB_DEVICE void wb_copy(unit *to, const unit *from, size_t given = sizeof(unit))                                    \
    {                                                                                                                  \
        asm volatile("cp.async." cache ".shared.global [%0], [%1], %2, %3;"                                            \
                     :                                                                                                 \
                     : "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(__cvta_generic_to_global(from)),           \
                       "n"(sizeof(unit)), "r"((unsigned int)given)                                                     \
                     : "memory");                                                                                      \
    }
#else
#define WB_COPY(unit, cache)                                                                                           \
    WB_DEVICE void wb_copy(unit *to, const unit *from, size_t given = sizeof(unit))                                    \
    {                                                                                                                  \
        *to = given == 0 ? unit{} : *from;                                                                             \
        for (size_t at = given; at < sizeof(unit); at++) {                                                             \
            to->bytes[at] = 0;                                                                                         \
        }                                                                                                              \
    }
#endif
WB_COPY(wb_4, "ca")
WB_COPY(wb_8, "ca")
WB_COPY(wb_16, "cg")
#undef WB_COPY

// The threads of `group` copy by turns: whole units at once, or as cp.async does.
template <typename UNIT, typename GROUP>
WB_DEVICE void wb_copy_at_once(const GROUP &group, void *to, const void *from, size_t units)
{
    for (size_t at = group.thread_rank(); at < units; at += group.size()) {
        ((UNIT *)to)[at] = ((const UNIT *)from)[at];
    }
}
template <typename UNIT, typename GROUP>
WB_DEVICE void wb_copy_units(const GROUP &group, void *to, const void *from, size_t units)
{
    if (!__isShared(to) || !__isGlobal(from)) {
        return wb_copy_at_once<UNIT>(group, to, from, units);
    }
    for (size_t at = group.thread_rank(); at < units; at += group.size()) {
        wb_copy((UNIT *)to + at, (const UNIT *)from + at);
    }
}

// So many bytes, where both addresses are known to be multiples of ALIGN.
template <size_t ALIGN, typename GROUP>
WB_DEVICE void wb_copy_bytes(const GROUP &group, void *to, const void *from, size_t bytes)
{
    if constexpr (ALIGN >= 16) {
        wb_copy_units<wb_16>(group, to, from, bytes / 16);
    } else if constexpr (ALIGN == 8) {
        wb_copy_units<wb_8>(group, to, from, bytes / 8);
    } else if constexpr (ALIGN == 4) {
        wb_copy_units<wb_4>(group, to, from, bytes / 4);
    } else if (((size_t)to - (size_t)from) % 4 != 0) {
        wb_copy_at_once<wb_1>(group, to, from, bytes);
    } else {
        size_t before = -(size_t)from % 4;
        before = before < bytes ? before : bytes;
        size_t middle = (bytes - before) / 4 * 4;
        wb_copy_at_once<wb_1>(group, to, from, before);
        wb_copy_units<wb_4>(group, (char *)to + before, (const char *)from + before, middle / 4);
        size_t behind = before + middle;
        wb_copy_at_once<wb_1>(group, (char *)to + behind, (const char *)from + behind, bytes - behind);
    }
}

// What is known of the addresses by their type, or by a size like cuda::aligned_size_t.
template <typename T> struct wb_align { static constexpr size_t of = alignof(T); };
template <> struct wb_align<void> { static constexpr size_t of = 1; };
template <typename T, typename SIZE> struct wb_align_by : wb_align<T> {};
template <typename T, template <size_t> typename SIZE, size_t ALIGN> struct wb_align_by<T, SIZE<ALIGN>> {
    static constexpr size_t of = ALIGN;
};
