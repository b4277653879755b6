// Mathematics for both sides, kernels too. What the GPU has as an instruction is one; the simulator does the rest.
// libc++'s own math.h, which includes this, adds the overloads for float.

#pragma once
#pragma GCC system_header

#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440

#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define HUGE_VALL __builtin_huge_vall()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#define FP_ILOGB0 (-2147483647 - 1)
#define FP_ILOGBNAN (-2147483647 - 1)
#define MATH_ERRNO 1
#define MATH_ERREXCEPT 2
#define math_errhandling 0

#define fpclassify(x) __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, x)
#define isfinite(x) __builtin_isfinite(x)
#define isinf(x) __builtin_isinf(x)
#define isnan(x) __builtin_isnan(x)
#define isnormal(x) __builtin_isnormal(x)
#define signbit(x) __builtin_signbit(x)
#define isgreater(x, y) __builtin_isgreater(x, y)
#define isgreaterequal(x, y) __builtin_isgreaterequal(x, y)
#define isless(x, y) __builtin_isless(x, y)
#define islessequal(x, y) __builtin_islessequal(x, y)
#define islessgreater(x, y) __builtin_islessgreater(x, y)
#define isunordered(x, y) __builtin_isunordered(x, y)

typedef float float_t;
typedef double double_t;

#include "../../mathematics.h"

extern "C" {

// ---- instructions

#define WB_INSTRUCTIONS(type, suffix)                                                                                  \
    WB_INLINE_BOTH type ceil##suffix(type x) { return __builtin_ceil##suffix(x); }                                     \
    WB_INLINE_BOTH type fabs##suffix(type x) { return __builtin_fabs##suffix(x); }                                     \
    WB_INLINE_BOTH type floor##suffix(type x) { return __builtin_floor##suffix(x); }                                   \
    WB_INLINE_BOTH type nearbyint##suffix(type x) { return __builtin_rint##suffix(x); }                                \
    WB_INLINE_BOTH type rint##suffix(type x) { return __builtin_rint##suffix(x); }                                     \
    WB_INLINE_BOTH type sqrt##suffix(type x) { return __builtin_sqrt##suffix(x); }                                     \
    WB_INLINE_BOTH type trunc##suffix(type x) { return __builtin_trunc##suffix(x); }                                   \
    WB_INLINE_BOTH type copysign##suffix(type x, type sign) { return __builtin_copysign##suffix(x, sign); }            \
    WB_INLINE_BOTH type fmax##suffix(type a, type b) { return __builtin_fmax##suffix(a, b); }                          \
    WB_INLINE_BOTH type fmin##suffix(type a, type b) { return __builtin_fmin##suffix(a, b); }                          \
    WB_INLINE_BOTH type fma##suffix(type a, type b, type c) { return __builtin_fma##suffix(a, b, c); }                 \
    WB_INLINE_BOTH type rsqrt##suffix(type x) { return 1 / __builtin_sqrt##suffix(x); }                                \
    WB_INLINE_BOTH long lrint##suffix(type x) { return (long)__builtin_rint##suffix(x); }                              \
    WB_INLINE_BOTH long long llrint##suffix(type x) { return (long long)__builtin_rint##suffix(x); }
WB_INSTRUCTIONS(double, )
WB_INSTRUCTIONS(float, f)
#undef WB_INSTRUCTIONS
WB_INLINE_BOTH float fdividef(float a, float b) { return a / b; }

// ---- long double is double on a GPU

#define WB_LONG_ONE(name)                                                                                              \
    WB_INLINE_BOTH long double name##l(long double x) { return name((double)x); }
#define WB_LONG_TWO(name)                                                                                              \
    WB_INLINE_BOTH long double name##l(long double x, long double y) { return name((double)x, (double)y); }

WB_LONG_ONE(acos)
WB_LONG_ONE(acosh)
WB_LONG_ONE(asin)
WB_LONG_ONE(asinh)
WB_LONG_ONE(atan)
WB_LONG_ONE(atanh)
WB_LONG_ONE(cbrt)
WB_LONG_ONE(ceil)
WB_LONG_ONE(cos)
WB_LONG_ONE(cosh)
WB_LONG_ONE(erf)
WB_LONG_ONE(erfc)
WB_LONG_ONE(exp)
WB_LONG_ONE(exp2)
WB_LONG_ONE(expm1)
WB_LONG_ONE(fabs)
WB_LONG_ONE(floor)
WB_LONG_ONE(lgamma)
WB_LONG_ONE(log)
WB_LONG_ONE(log10)
WB_LONG_ONE(log1p)
WB_LONG_ONE(log2)
WB_LONG_ONE(logb)
WB_LONG_ONE(nearbyint)
WB_LONG_ONE(rint)
WB_LONG_ONE(round)
WB_LONG_ONE(sin)
WB_LONG_ONE(sinh)
WB_LONG_ONE(sqrt)
WB_LONG_ONE(tan)
WB_LONG_ONE(tanh)
WB_LONG_ONE(tgamma)
WB_LONG_ONE(trunc)
WB_LONG_TWO(atan2)
WB_LONG_TWO(copysign)
WB_LONG_TWO(fdim)
WB_LONG_TWO(fmax)
WB_LONG_TWO(fmin)
WB_LONG_TWO(fmod)
WB_LONG_TWO(hypot)
WB_LONG_TWO(nextafter)
WB_LONG_TWO(pow)
WB_LONG_TWO(remainder)
#undef WB_LONG_ONE
#undef WB_LONG_TWO
WB_INLINE_BOTH long double fmal(long double a, long double b, long double c) { return fma((double)a, (double)b, (double)c); }
WB_INLINE_BOTH long double frexpl(long double x, int *exponent) { return frexp((double)x, exponent); }
WB_INLINE_BOTH int ilogbl(long double x) { return ilogb((double)x); }
WB_INLINE_BOTH long double ldexpl(long double x, int exponent) { return ldexp((double)x, exponent); }
WB_INLINE_BOTH long double scalbnl(long double x, int exponent) { return scalbn((double)x, exponent); }
WB_INLINE_BOTH long double scalblnl(long double x, long exponent) { return scalbln((double)x, exponent); }
WB_INLINE_BOTH long double remquol(long double x, long double y, int *quotient)
{
    return remquo((double)x, (double)y, quotient);
}
WB_INLINE_BOTH long double modfl(long double x, long double *whole)
{
    *whole = trunc((double)x);
    return x - *whole;
}
WB_INLINE_BOTH long lrintl(long double x) { return lrint((double)x); }
WB_INLINE_BOTH long long llrintl(long double x) { return llrint((double)x); }
WB_INLINE_BOTH long lroundl(long double x) { return lround((double)x); }
WB_INLINE_BOTH long long llroundl(long double x) { return llround((double)x); }
WB_INLINE_BOTH long double nanl(const char *text) { return nan(text); }
WB_INLINE_BOTH long double nexttowardl(long double x, long double y) { return nexttoward((double)x, y); }

} // extern "C"
