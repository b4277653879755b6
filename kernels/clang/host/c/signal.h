// Signals: none comes.

#pragma once
#pragma GCC system_header

typedef int sig_atomic_t;
typedef void (*WB_SignalHandler)(int);

#define SIGINT 2
#define SIGABRT 6
#define SIGFPE 8
#define SIGSEGV 11
#define SIGTERM 15
#define SIG_DFL ((WB_SignalHandler)0)
#define SIG_IGN ((WB_SignalHandler)1)

extern "C" {
WB_SignalHandler signal(int number, WB_SignalHandler handler);
int raise(int number);
}
