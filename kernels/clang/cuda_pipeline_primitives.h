// Copies in groups, each thread's own: see cuda.h.

#pragma once

#include "copies.h"
#include "cuda_awbarrier_primitives.h"

// The last `zeros` bytes are 0, and not read.
WB_DEVICE void __pipeline_memcpy_async(void *to, const void *from, size_t size, size_t zeros = 0)
{
    switch (size) {
    case 4:
        return wb_copy((wb_4 *)to, (const wb_4 *)from, size - zeros);
    case 8:
        return wb_copy((wb_8 *)to, (const wb_8 *)from, size - zeros);
    case 16:
        return wb_copy((wb_16 *)to, (const wb_16 *)from, size - zeros);
    default:
        __trap(); // 4, 8 or 16 bytes are copied
    }
}

#if __CUDA_ARCH__ >= 800
WB_DEVICE void __pipeline_commit() { asm volatile("cp.async.commit_group;" : : : "memory"); }
#define WB_WAIT(groups) asm volatile("cp.async.wait_group " groups ";" : : : "memory");
#else
WB_DEVICE void __pipeline_commit() {}
#define WB_WAIT(groups)
#endif
// Until all groups but the last `prior` are there.
WB_DEVICE void __pipeline_wait_prior(size_t prior)
{
#define WB_CASE(number)                                                                                                \
    case number:                                                                                                       \
        WB_WAIT(#number)                                                                                               \
        break;
    switch (prior) {
        WB_CASE(0)
        WB_CASE(1)
        WB_CASE(2)
        WB_CASE(3)
        WB_CASE(4)
        WB_CASE(5)
        WB_CASE(6)
        WB_CASE(7)
    default:
        WB_WAIT("8")
    }
#undef WB_CASE
}
#undef WB_WAIT

WB_DEVICE void __pipeline_arrive_on(__mbarrier_t *barrier) { wb_mbarrier_arrive_after_copies(barrier); }
