// There is one locale, "C".

#pragma once
#pragma GCC system_header

#define LC_ALL 6
#define LC_NUMERIC 1

extern "C" {
char *setlocale(int category, const char *name);
}
