// Barriers in shared memory: see cuda.h. They are mbarriers for each GPU here, since the simulator has them for each.

#pragma once

#include <stdint.h>

typedef uint64_t __mbarrier_t;
typedef uint64_t __mbarrier_token_t;

#define WB_AT(barrier) "r"((unsigned int)__cvta_generic_to_shared(barrier))

WB_DEVICE void __mbarrier_init(__mbarrier_t *barrier, uint32_t count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" : : WB_AT(barrier), "r"(count) : "memory");
}
WB_DEVICE void __mbarrier_inval(__mbarrier_t *barrier)
{
    asm volatile("mbarrier.inval.shared.b64 [%0];" : : WB_AT(barrier) : "memory");
}
#define WB_ARRIVE(name, instruction)                                                                                   \
    WB_DEVICE __mbarrier_token_t wb_##name(__mbarrier_t *barrier, uint32_t count)                                      \
    {                                                                                                                  \
        __mbarrier_token_t token;                                                                                      \
        asm volatile("mbarrier." instruction ".shared.b64 %0, [%1], %2;"                                               \
                     : "=l"(token)                                                                                     \
                     : WB_AT(barrier), "r"(count)                                                                      \
                     : "memory");                                                                                      \
        return token;                                                                                                  \
    }                                                                                                                  \
    WB_DEVICE __mbarrier_token_t __##name(__mbarrier_t *barrier) { return wb_##name(barrier, 1); }
WB_ARRIVE(mbarrier_arrive, "arrive")
WB_ARRIVE(mbarrier_arrive_and_drop, "arrive_drop")
#undef WB_ARRIVE
// The phase waits for this thread's copies too.
WB_DEVICE void wb_mbarrier_arrive_after_copies(__mbarrier_t *barrier)
{
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" : : WB_AT(barrier) : "memory");
}
// `phase` is a token, or the parity of the phase that is to be over.
#define WB_TEST(name, type, instruction, letter)                                                                       \
    WB_DEVICE bool name(const __mbarrier_t *barrier, type phase)                                                       \
    {                                                                                                                  \
        uint32_t is_over;                                                                                              \
        asm volatile("{ .reg .pred over; mbarrier." instruction ".shared.b64 over, [%1], %2; "                         \
                     "selp.u32 %0, 1, 0, over; }"                                                                      \
                     : "=r"(is_over)                                                                                   \
                     : WB_AT(barrier), letter(phase)                                                                   \
                     : "memory");                                                                                      \
        return is_over;                                                                                                \
    }
WB_TEST(__mbarrier_test_wait, __mbarrier_token_t, "test_wait", "l")
WB_TEST(wb_mbarrier_test_parity, uint32_t, "test_wait.parity", "r")
#undef WB_TEST
#undef WB_AT
WB_DEVICE bool __mbarrier_test_wait_parity(const __mbarrier_t *barrier, bool parity)
{
    return wb_mbarrier_test_parity(barrier, parity);
}
// There is no time here to wait for.
WB_DEVICE bool __mbarrier_try_wait(const __mbarrier_t *barrier, __mbarrier_token_t token, uint32_t)
{
    return __mbarrier_test_wait(barrier, token);
}
WB_DEVICE bool __mbarrier_try_wait_parity(const __mbarrier_t *barrier, bool parity, uint32_t)
{
    return __mbarrier_test_wait_parity(barrier, parity);
}
WB_DEVICE uint32_t __mbarrier_token_pending_count(__mbarrier_token_t token)
{
    uint32_t count;
    asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
    return count;
}
static constexpr __host__ __device__ WB_INLINE uint32_t __mbarrier_maximum_count() { return (1 << 20) - 1; }
