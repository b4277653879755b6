// Half-precision floats, as far as the kernels of this workbook use them: see cuda.h.

#pragma once

struct __half {
    unsigned short bits;
};

WB_DEVICE float __half2float(__half x)
{
    float wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x.bits));
    return wide;
}
WB_DEVICE __half __float2half(float x)
{
    __half narrow;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(narrow.bits) : "f"(x));
    return narrow;
}
WB_DEVICE __half __hadd(__half a, __half b)
{
    __half sum;
    asm("add.f16 %0, %1, %2;" : "=h"(sum.bits) : "h"(a.bits), "h"(b.bits));
    return sum;
}
WB_DEVICE __half __shfl_down_sync(unsigned int lanes, __half x, unsigned int distance, int width = 32)
{
    return {(unsigned short)__shfl_down_sync(lanes, (unsigned int)x.bits, distance, width)};
}
