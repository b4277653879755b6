// Strings, whatever their case. The simulator does what is declared here.

#pragma once
#pragma GCC system_header

#include <stddef.h>

extern "C" {
int strcasecmp(const char *a, const char *b);
int strncasecmp(const char *a, const char *b, size_t count);
void bzero(void *bytes, size_t count);
void bcopy(const void *from, void *to, size_t count);
}
