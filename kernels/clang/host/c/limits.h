// The limits of whole numbers.

#pragma once
#pragma GCC system_header

#include "../../limits.h"

#define CHAR_MAX SCHAR_MAX
#define CHAR_MIN SCHAR_MIN
#define MB_LEN_MAX 4
#define PATH_MAX 4096
#define SSIZE_MAX LONG_MAX
