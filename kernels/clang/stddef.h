// What the language has types of: see cuda.h.

#pragma once

typedef decltype(nullptr) nullptr_t;
typedef long double max_align_t;

#define NULL __null
#define offsetof(type, member) __builtin_offsetof(type, member)
