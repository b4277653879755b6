// The time of day, which counts on in the simulator and measures nothing.

#pragma once
#pragma GCC system_header

#include <time.h>

struct timeval {
    time_t tv_sec;
    long tv_usec;
};
struct timezone {
    int tz_minuteswest, tz_dsttime;
};

extern "C" {
int gettimeofday(struct timeval *at, void *zone);
}
