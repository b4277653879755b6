// What a Unix system has for a process. The simulator does what is declared here.

#pragma once
#pragma GCC system_header

#include <sys/types.h>

#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define _SC_PAGESIZE 30
#define _SC_NPROCESSORS_ONLN 84
#define F_OK 0
#define R_OK 4
#define W_OK 2

extern "C" {
unsigned int sleep(unsigned int seconds);
int usleep(unsigned int microseconds);
pid_t getpid(void);
int gethostname(char *name, size_t size);
char *getcwd(char *path, size_t size);
long sysconf(int name);
int access(const char *path, int mode);
int unlink(const char *path);
int isatty(int file);
ssize_t write(int file, const void *bytes, size_t count);
ssize_t read(int file, void *bytes, size_t count);
int getopt(int count, char *const arguments[], const char *options);
__attribute__((noreturn)) void _exit(int status);
// Variables of getopt.
char **__wb_optarg(void);
int *__wb_optind(void);
}
#define optarg (*__wb_optarg())
#define optind (*__wb_optind())
