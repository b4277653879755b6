// What the language has types of: see program.h.

#pragma once
#pragma GCC system_header

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef decltype(nullptr) nullptr_t;
typedef struct {
    long long whole __attribute__((__aligned__(__alignof__(long long))));
    long double real __attribute__((__aligned__(__alignof__(long double))));
} max_align_t;

#define NULL __null
#define offsetof(type, member) __builtin_offsetof(type, member)
