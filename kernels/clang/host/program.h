// What is included before a program that has a main. The whole program is compiled for the device: one thread of the
// simulator, the host, calls main. The headers of this folder declare what that thread can call, and the simulator does
// it: there are no bodies here but of templates and of what is an instruction.
//
// | folder | what |
// | --- | --- |
// | c/ | the C library |
// | std/ | C++ headers in place of libc++'s: streams, exceptions; and what is not there |
// | library/ | bodies of functions that libc++'s headers only declare, each added to the header of its name |
// | cuda/ | the runtime API |
//
// A program is read twice. The first time (WB_BORDER is defined) its functions are the host's, as in CUDA, so that what
// crosses the border is found. The second time every function is for both sides, and every variable is the device's.

#pragma once
#pragma GCC system_header

#include "../device.h"

#define WB_BOTH_SIDES __host__ __device__
#define WB_MATHEMATICS WB_BOTH_SIDES
#define WB_INLINE_BOTH inline __host__ __device__ __attribute__((always_inline, nodebug))
#define WB_INLINE_HOST inline __attribute__((always_inline, nodebug))
// What an older CUDA had works as it did then, with a warning.
#define WB_OLD(instead) __attribute__((deprecated(instead)))
#define WB_FORMAT(kind, text, first) __attribute__((format(kind, text, first)))

// In the wheel's headers: what both sides have.
#define WB_BOTH_BEGIN _Pragma("clang force_cuda_host_device begin")
#define WB_BOTH_END _Pragma("clang force_cuda_host_device end")

#ifndef WB_BORDER
#pragma clang force_cuda_host_device begin
#pragma clang attribute push(__attribute__((device)), apply_to = variable(is_global))
#endif

#define __managed__ __device__ __attribute__((section("managed")))
#define __grid_constant__ __attribute__((grid_constant))

extern "C" {
// The end of the program with a message, for a throw.
__attribute__((noreturn)) void __wb_throw(const char *what);
// The end of the program with a formatted message, for what libc++ finds wrong.
__attribute__((noreturn)) void __wb_abort(const char *format, ...);
// Room on the stack until the function that calls this returns.
void *__wb_alloca(size_t bytes);
// The bytes that __wb_alloca was asked for.
size_t __wb_alloca_size(const void *room);
}
#define alloca(bytes) __wb_alloca(bytes)

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
// nvcc's headers bring these with them. As templates they give way to those of <cmath>.
template <typename T> struct wb_abs;
template <> struct wb_abs<float> { typedef float type; };
template <> struct wb_abs<double> { typedef double type; };
template <> struct wb_abs<long> { typedef long type; };
template <> struct wb_abs<long long> { typedef long long type; };
template <typename T> WB_INLINE_BOTH typename wb_abs<T>::type abs(T x) { return x < 0 ? -x : x; }

#if __has_include(<new>)
#include <new>
#else
// A page has libc++ only for a program that includes a header of C++.
WB_INLINE_BOTH void *operator new(size_t, void *place) noexcept { return place; }
WB_INLINE_BOTH void *operator new[](size_t, void *place) noexcept { return place; }
#endif
#include "../intrinsics.h"
#include "old.h"
#include "exceptions.h"
#include "cuda/cuda_runtime.h"
