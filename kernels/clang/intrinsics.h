// Arithmetic that is an instruction or a few: fast versions, rounding by name, whole numbers of 24 and of 64 bits.

#pragma once
#pragma GCC system_header

#define WB_FAST __device__ __inline__ __attribute__((always_inline, nodebug))

WB_FAST float __sinf(float x) { return __nvvm_sin_approx_f(x); }
WB_FAST float __cosf(float x) { return __nvvm_cos_approx_f(x); }
WB_FAST float __tanf(float x) { return __sinf(x) / __cosf(x); }
WB_FAST float __log2f(float x) { return __nvvm_lg2_approx_f(x); }
WB_FAST float __logf(float x) { return __nvvm_lg2_approx_f(x) * 0.69314718056f; }
WB_FAST float __log10f(float x) { return __nvvm_lg2_approx_f(x) * 0.30102999566f; }
WB_FAST float __exp10f(float x) { return __nvvm_ex2_approx_f(x * 3.3219280948873623f); }
WB_FAST float __powf(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }
WB_FAST float __fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
WB_FAST float __frsqrt_rn(float x) { return 1 / __builtin_sqrtf(x); }
WB_FAST float __saturatef(float x) { return __nvvm_saturate_f(x); }
WB_FAST void __sincosf(float x, float *sine, float *cosine)
{
    *sine = __sinf(x);
    *cosine = __cosf(x);
}

WB_FAST float __fsub_rn(float a, float b) { return __nvvm_add_rn_f(a, -b); }
WB_FAST double __dsub_rn(double a, double b) { return __nvvm_add_rn_d(a, -b); }
#define WB_ROUNDED(direction, mode)                                                                                    \
    WB_FAST float __fdiv_##direction(float a, float b) { return __nvvm_div_##mode##_f(a, b); }                         \
    WB_FAST double __ddiv_##direction(double a, double b) { return __nvvm_div_##mode##_d(a, b); }                      \
    WB_FAST float __frcp_##direction(float x) { return __nvvm_rcp_##mode##_f(x); }                                     \
    WB_FAST double __drcp_##direction(double x) { return __nvvm_rcp_##mode##_d(x); }                                   \
    WB_FAST float __fsqrt_##direction(float x) { return __nvvm_sqrt_##mode##_f(x); }                                   \
    WB_FAST double __dsqrt_##direction(double x) { return __nvvm_sqrt_##mode##_d(x); }                                 \
    WB_FAST float __fmaf_##direction(float a, float b, float c) { return __nvvm_fma_##mode##_f(a, b, c); }             \
    WB_FAST double __fma_##direction(double a, double b, double c) { return __nvvm_fma_##mode##_d(a, b, c); }          \
    WB_FAST int __float2int_##direction(float x) { return __nvvm_f2i_##mode(x); }                                      \
    WB_FAST unsigned int __float2uint_##direction(float x) { return __nvvm_f2ui_##mode(x); }                           \
    WB_FAST long long __float2ll_##direction(float x) { return __nvvm_f2ll_##mode(x); }                                \
    WB_FAST int __double2int_##direction(double x) { return __nvvm_d2i_##mode(x); }                                    \
    WB_FAST unsigned int __double2uint_##direction(double x) { return __nvvm_d2ui_##mode(x); }                         \
    WB_FAST float __double2float_##direction(double x) { return __nvvm_d2f_##mode(x); }                                \
    WB_FAST float __int2float_##direction(int x) { return __nvvm_i2f_##mode(x); }                                      \
    WB_FAST float __uint2float_##direction(unsigned int x) { return __nvvm_ui2f_##mode(x); }                           \
    WB_FAST float __ll2float_##direction(long long x) { return __nvvm_ll2f_##mode(x); }                                \
    WB_FAST double __ll2double_##direction(long long x) { return __nvvm_ll2d_##mode(x); }
WB_ROUNDED(rn, rn)
WB_ROUNDED(rz, rz)
WB_ROUNDED(rd, rm)
WB_ROUNDED(ru, rp)
#undef WB_ROUNDED
#define WB_ROUNDED(direction, mode)                                                                                    \
    WB_FAST float __fadd_##direction(float a, float b) { return __nvvm_add_##mode##_f(a, b); }                         \
    WB_FAST float __fmul_##direction(float a, float b) { return __nvvm_mul_##mode##_f(a, b); }                         \
    WB_FAST double __dadd_##direction(double a, double b) { return __nvvm_add_##mode##_d(a, b); }                      \
    WB_FAST double __dmul_##direction(double a, double b) { return __nvvm_mul_##mode##_d(a, b); }
WB_ROUNDED(rz, rz)
WB_ROUNDED(rd, rm)
WB_ROUNDED(ru, rp)
#undef WB_ROUNDED
WB_FAST double __int2double_rn(int x) { return x; }
WB_FAST double __uint2double_rn(unsigned int x) { return x; }
WB_FAST int __double2hiint(double x) { return __nvvm_d2i_hi(x); }
WB_FAST int __double2loint(double x) { return __nvvm_d2i_lo(x); }
WB_FAST double __hiloint2double(int high, int low) { return __nvvm_lohi_i2d(low, high); }

WB_FAST int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
WB_FAST unsigned int __umul24(unsigned int a, unsigned int b) { return (a & 0xffffff) * (b & 0xffffff); }
WB_FAST long long __mul64hi(long long a, long long b) { return (__int128)a * b >> 64; }
WB_FAST unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned __int128)a * b >> 64;
}
WB_FAST unsigned int __sad(int a, int b, unsigned int c) { return c + (a > b ? a - b : b - a); }
WB_FAST unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) { return c + (a > b ? a - b : b - a); }
WB_FAST int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
WB_FAST int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
WB_FAST unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int selector)
{
    return __nvvm_prmt(a, b, selector);
}
WB_FAST void __prof_trigger(int) {}
WB_FAST unsigned int __isGlobal(const void *at) { return __nvvm_isspacep_global(at); }
WB_FAST unsigned int __isShared(const void *at) { return __nvvm_isspacep_shared(at); }

#undef WB_FAST
