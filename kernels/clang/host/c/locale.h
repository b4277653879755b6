// There is one locale, "C".

#pragma once
#pragma GCC system_header

#define LC_ALL 6
#define LC_NUMERIC 1

extern "C" {
WB_HOST_BEGIN
char *setlocale(int category, const char *name);
WB_HOST_END
}
