// The functions of mathematics that are no instruction of a GPU: the simulator computes them, for kernels and, in whole
// programs, for the host (CUDA Math API). WB_MATHEMATICS says for whom: what is __device__ alone is no function of C to
// clang, which would make an operation of it that no GPU has.

#pragma once
#pragma GCC system_header

extern "C" {

#define WB_ONE(name)                                                                                                   \
    WB_MATHEMATICS double name(double x);                                                                               \
    WB_MATHEMATICS float name##f(float x);
#define WB_TWO(name)                                                                                                   \
    WB_MATHEMATICS double name(double x, double y);                                                                     \
    WB_MATHEMATICS float name##f(float x, float y);

WB_ONE(acos)
WB_ONE(acosh)
WB_ONE(asin)
WB_ONE(asinh)
WB_ONE(atan)
WB_ONE(atanh)
WB_ONE(cbrt)
WB_ONE(cos)
WB_ONE(cosh)
WB_ONE(cospi)
WB_ONE(cyl_bessel_i0)
WB_ONE(cyl_bessel_i1)
WB_ONE(erf)
WB_ONE(erfc)
WB_ONE(erfcinv)
WB_ONE(erfcx)
WB_ONE(erfinv)
WB_ONE(exp)
WB_ONE(exp10)
WB_ONE(exp2)
WB_ONE(expm1)
WB_ONE(j0)
WB_ONE(j1)
WB_ONE(lgamma)
WB_ONE(log)
WB_ONE(log10)
WB_ONE(log1p)
WB_ONE(log2)
WB_ONE(logb)
WB_ONE(normcdf)
WB_ONE(normcdfinv)
WB_ONE(rcbrt)
WB_ONE(round)
WB_ONE(sin)
WB_ONE(sinh)
WB_ONE(sinpi)
WB_ONE(tan)
WB_ONE(tanh)
WB_ONE(tgamma)
WB_ONE(y0)
WB_ONE(y1)
WB_TWO(atan2)
WB_TWO(fdim)
WB_TWO(fmod)
WB_TWO(hypot)
WB_TWO(nextafter)
WB_TWO(pow)
WB_TWO(remainder)
WB_TWO(rhypot)
#undef WB_ONE
#undef WB_TWO

WB_MATHEMATICS double frexp(double x, int *exponent);
WB_MATHEMATICS int ilogb(double x);
WB_MATHEMATICS double ldexp(double x, int exponent);
WB_MATHEMATICS double modf(double x, double *whole);
WB_MATHEMATICS double remquo(double x, double y, int *quotient);
WB_MATHEMATICS double scalbn(double x, int exponent);
WB_MATHEMATICS double scalbln(double x, long exponent);
WB_MATHEMATICS long lround(double x);
WB_MATHEMATICS long long llround(double x);
WB_MATHEMATICS void sincos(double x, double *sine, double *cosine);
WB_MATHEMATICS void sincospi(double x, double *sine, double *cosine);
WB_MATHEMATICS double norm3d(double x, double y, double z);
WB_MATHEMATICS double rnorm3d(double x, double y, double z);
WB_MATHEMATICS double norm4d(double x, double y, double z, double w);
WB_MATHEMATICS double nan(const char *text);
WB_MATHEMATICS double nexttoward(double x, long double y);

WB_MATHEMATICS float frexpf(float x, int *exponent);
WB_MATHEMATICS int ilogbf(float x);
WB_MATHEMATICS float ldexpf(float x, int exponent);
WB_MATHEMATICS float modff(float x, float *whole);
WB_MATHEMATICS float remquof(float x, float y, int *quotient);
WB_MATHEMATICS float scalbnf(float x, int exponent);
WB_MATHEMATICS float scalblnf(float x, long exponent);
WB_MATHEMATICS long lroundf(float x);
WB_MATHEMATICS long long llroundf(float x);
WB_MATHEMATICS void sincosf(float x, float *sine, float *cosine);
WB_MATHEMATICS void sincospif(float x, float *sine, float *cosine);
WB_MATHEMATICS float norm3df(float x, float y, float z);
WB_MATHEMATICS float rnorm3df(float x, float y, float z);
WB_MATHEMATICS float norm4df(float x, float y, float z, float w);
WB_MATHEMATICS float nanf(const char *text);
WB_MATHEMATICS float nexttowardf(float x, long double y);

} // extern "C"
