// Strings and bytes. The simulator does what is declared here.

#pragma once
#pragma GCC system_header

#include <stddef.h>
#include <strings.h>

extern "C" {

WB_BOTH_SIDES void *memcpy(void *to, const void *from, size_t bytes);
WB_BOTH_SIDES void *memset(void *to, int value, size_t bytes);
WB_BOTH_SIDES void *memmove(void *to, const void *from, size_t bytes);
WB_BOTH_SIDES int memcmp(const void *a, const void *b, size_t bytes);
WB_BOTH_SIDES size_t strlen(const char *text);

void *memchr(const void *bytes, int value, size_t count);
void *memrchr(const void *bytes, int value, size_t count);
void *memmem(const void *bytes, size_t count, const void *wanted, size_t wanted_count);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t count);
int strcoll(const char *a, const char *b);
size_t strxfrm(char *to, const char *from, size_t count);
size_t strnlen(const char *text, size_t count);
char *strcpy(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t count);
char *stpcpy(char *to, const char *from);
char *strcat(char *to, const char *from);
char *strncat(char *to, const char *from, size_t count);
char *strdup(const char *text);
char *strndup(const char *text, size_t count);
char *strchr(const char *text, int character);
char *strrchr(const char *text, int character);
char *strstr(const char *text, const char *wanted);
char *strcasestr(const char *text, const char *wanted);
char *strpbrk(const char *text, const char *wanted);
size_t strspn(const char *text, const char *accepted);
size_t strcspn(const char *text, const char *rejected);
char *strtok(char *text, const char *separators);
char *strtok_r(char *text, const char *separators, char **rest);
char *strsep(char **text, const char *separators);
char *strerror(int number);

} // extern "C"
