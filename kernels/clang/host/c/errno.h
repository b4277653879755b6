// Numbers of errors, as Linux has them.

#pragma once
#pragma GCC system_header

extern "C" {
int *__errno_location(void);
}
#define errno (*__errno_location())

#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define E2BIG 7
#define EBADF 9
#define EAGAIN 11
#define ENOMEM 12
#define EACCES 13
#define EBUSY 16
#define EEXIST 17
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define EPIPE 32
#define EDOM 33
#define ERANGE 34
#define EILSEQ 84
#define EOVERFLOW 75
#define ENOTSUP 95
#define ETIMEDOUT 110
