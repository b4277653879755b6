// Types of a Unix system.

#pragma once
#pragma GCC system_header

#include <stdio.h>
#include <time.h>

typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;
typedef int pid_t;
typedef unsigned int uid_t;
typedef unsigned int mode_t;
typedef unsigned char u_char;
typedef unsigned int u_int;
