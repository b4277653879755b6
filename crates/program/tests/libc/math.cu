#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <ctime>
#include <sys/time.h>
int main()
{
    volatile double x = 0.7, y = 2.3; volatile float g = 0.7f, h = 2.3f;
    printf("%.14g %.14g %.14g %.14g %.14g %.14g\n", sin(x), cos(x), tan(x), asin(x), acos(x), atan(x));
    printf("%.14g %.14g %.14g %.14g %.14g %.14g\n", sinh(x), cosh(x), tanh(x), asinh(x), acosh(y), atanh(x));
    printf("%.14g %.14g %.14g %.14g %.14g %.14g %.14g\n", exp(x), exp2(x), expm1(x), log(x), log2(x),
        log10(x), log1p(x));
    printf("%.14g %.14g %.14g %.14g %.14g %.14g\n", pow(x, y), sqrt(x), cbrt(x), hypot(x, y), atan2(x, y),
        fmod(y, x));
    printf("%.14g %.14g %.14g %.14g %.14g %.14g\n", erf(x), erfc(x), tgamma(y), lgamma(y), remainder(y, x),
        fdim(y, x));
    printf("%g %g %g %g %g %g %ld %ld %lld\n", floor(-x), ceil(x), round(-2.5), trunc(-y), rint(2.5),
        nearbyint(3.5), lround(y), lrint(2.5), llround(-y));
    int e; double w; double m = frexp(48.0 * x, &e), r = modf(-y, &w);
    printf("%.10g %d %.10g %g %g %d %g %g %.17g %g\n", m, e, r, w, ldexp(x, 3), ilogb(48.0 * x), logb(y),
        scalbn(x, -2), nextafter(x, 1.0), copysign(x, -1.0));
    printf("%g %g %g %d %d\n", fmax(x, y), fmin(x, y), fma(x, y, 1.0), std::isnan(NAN),
        std::isinf(1.0 / 0.0));
    printf("%.9g %.9g %.9g %.9g %.9g %.9g\n", sinf(g), cosf(g), tanf(g), expf(g), logf(g), powf(g, h));
    printf("%.9g %.6g %.6g %.9g %.9g %.9g %.9g\n", sqrtf(g), tanhf(g), atan2f(g, h), fmodf(h, g), erff(g),
        log2f(g), exp2f(g));
    printf("%.9g %.9g %.9g %.9g\n", std::sin(g), std::pow(g, h), std::exp(g), std::abs(-g));
    printf("%.9g %.9g %.9g %.9g\n", hypotf(g, h), cbrtf(g), nextafterf(g, 1.0f), fmaf(g, h, 1.0f));
    time_t at = 951827696; struct tm *date = gmtime(&at); char text[64];
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %a %b %j %p", date); puts(text);
    printf("%ld %d %s", (long)mktime(date), date->tm_yday, asctime(date));
    clock_t c = clock(); struct timeval v, v2; gettimeofday(&v, NULL); gettimeofday(&v2, NULL);
    printf("%d %d %d\n", clock() >= c, time(NULL) > 1700000000,
        (v2.tv_sec - v.tv_sec) * 1000000 + v2.tv_usec - v.tv_usec >= 0);
    printf("%g\n", difftime(at + 5, at));
    return 0;
}
