// Memory, numbers in text, random numbers, the end of the program. The simulator does what is declared here.

#pragma once
#pragma GCC system_header

#include <stddef.h>

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
#define MB_CUR_MAX 4

typedef struct {
    int quot, rem;
} div_t;
typedef struct {
    long quot, rem;
} ldiv_t;
typedef struct {
    long long quot, rem;
} lldiv_t;

extern "C" {

WB_BOTH_SIDES void *malloc(size_t bytes);
WB_BOTH_SIDES void free(void *address);
WB_INLINE_BOTH int abs(int x) { return x < 0 ? -x : x; }
WB_INLINE_BOTH long labs(long x) { return x < 0 ? -x : x; }
WB_INLINE_BOTH long long llabs(long long x) { return x < 0 ? -x : x; }

void *calloc(size_t count, size_t size);
void *realloc(void *address, size_t bytes);
void *reallocarray(void *address, size_t count, size_t size);
void *aligned_alloc(size_t alignment, size_t bytes);
int posix_memalign(void **address, size_t alignment, size_t bytes);

int atoi(const char *text);
long atol(const char *text);
long long atoll(const char *text);
double atof(const char *text);
long strtol(const char *text, char **end, int base);
long long strtoll(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);
float strtof(const char *text, char **end);
double strtod(const char *text, char **end);
long double strtold(const char *text, char **end);
div_t div(int a, int b);
ldiv_t ldiv(long a, long b);
lldiv_t lldiv(long long a, long long b);

int rand(void);
void srand(unsigned int seed);
int rand_r(unsigned int *seed);
long random(void);
void srandom(unsigned int seed);
double drand48(void);
double erand48(unsigned short state[3]);
long lrand48(void);
long mrand48(void);
void srand48(long seed);

void qsort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *));
void *bsearch(const void *key, const void *array, size_t count, size_t size,
              int (*compare)(const void *, const void *));

__attribute__((noreturn)) void exit(int status);
__attribute__((noreturn)) void _Exit(int status);
__attribute__((noreturn)) void quick_exit(int status);
__attribute__((noreturn)) void abort(void);
int atexit(void (*function)(void));
int at_quick_exit(void (*function)(void));
char *getenv(const char *name);
int setenv(const char *name, const char *value, int overwrite);
int unsetenv(const char *name);
int putenv(char *text);
int system(const char *command);
char *realpath(const char *path, char *resolved);
int mkstemp(char *pattern);
int mblen(const char *text, size_t size);

} // extern "C"
