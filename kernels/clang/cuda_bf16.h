// bfloat16, as far as the kernels of this workbook use it: see cuda.h.

#pragma once

struct __nv_bfloat16 {
    unsigned short bits; // the upper half of a float
};

WB_DEVICE float __bfloat162float(__nv_bfloat16 x) { return __uint_as_float((unsigned int)x.bits << 16); }
WB_DEVICE __nv_bfloat16 __float2bfloat16(float x)
{
    __nv_bfloat16 narrow;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(narrow.bits) : "f"(x)); // compute capability 8.0
    return narrow;
}
