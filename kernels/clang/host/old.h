// What kernels had before CUDA 9: it works as it did, with a warning.

#pragma once
#pragma GCC system_header

#define WB_FAST __device__ __inline__ __attribute__((always_inline, nodebug))

// Before CUDA 9, for the lanes that are active together.
#define WB_OLD_SHUFFLE(name, argument)                                                                                 \
    template <typename T>                                                                                              \
    WB_OLD("nvcc refuses it: since CUDA 9 the lanes that take part come first, " #name                                 \
           "_sync(0xffffffff, value, " #argument ")")                                                                  \
    WB_FAST T name(T value, int argument, int width = 32)                                                              \
    {                                                                                                                  \
        return name##_sync(__activemask(), value, argument, width);                                                    \
    }
WB_OLD_SHUFFLE(__shfl, lane)
WB_OLD_SHUFFLE(__shfl_up, distance)
WB_OLD_SHUFFLE(__shfl_down, distance)
WB_OLD_SHUFFLE(__shfl_xor, mask)
#undef WB_OLD_SHUFFLE
#define WB_OLD_VOTE(type, name)                                                                                        \
    WB_OLD("nvcc refuses it: since CUDA 9 the lanes that take part come first, " #name "_sync(0xffffffff, holds)")     \
    WB_FAST type name(int holds) { return name##_sync(__activemask(), holds); }
WB_OLD_VOTE(int, __any)
WB_OLD_VOTE(int, __all)
WB_OLD_VOTE(unsigned int, __ballot)
#undef WB_OLD_VOTE

#undef WB_FAST
