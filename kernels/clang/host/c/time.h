// The time, which counts on in the simulator and measures nothing.

#pragma once
#pragma GCC system_header

#include <stddef.h>

typedef long time_t;
typedef long clock_t;
typedef int clockid_t;

struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
};

#define CLOCKS_PER_SEC 1000000L
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID 3
#define CLOCK_MONOTONIC_RAW 4
#define TIME_UTC 1

extern "C" {
WB_BOTH_SIDES clock_t clock(void);
time_t time(time_t *at);
double difftime(time_t later, time_t earlier);
time_t mktime(struct tm *at);
int clock_gettime(clockid_t clock, struct timespec *at);
int clock_getres(clockid_t clock, struct timespec *at);
int timespec_get(struct timespec *at, int base);
int nanosleep(const struct timespec *time, struct timespec *left);
struct tm *gmtime(const time_t *at);
struct tm *localtime(const time_t *at);
struct tm *localtime_r(const time_t *at, struct tm *result);
size_t strftime(char *text, size_t size, const char *format, const struct tm *at);
char *asctime(const struct tm *at);
char *ctime(const time_t *at);
}
