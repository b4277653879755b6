// Standard input and output. The simulator does what is declared here.

#pragma once
#pragma GCC system_header

#include <stdarg.h>
#include <stddef.h>

typedef struct WB_FILE FILE; // a handle, which only these functions know
typedef long fpos_t;
typedef long off_t;
typedef long ssize_t;

#define stdin ((FILE *)1)
#define stdout ((FILE *)2)
#define stderr ((FILE *)3)
#define EOF (-1)
#define BUFSIZ 1024
#define FILENAME_MAX 4096
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2

extern "C" {

WB_BOTH_SIDES int printf(const char *format, ...) WB_FORMAT(printf, 1, 2);
WB_BOTH_SIDES int vprintf(const char *format, va_list arguments);

int fprintf(FILE *file, const char *format, ...) WB_FORMAT(printf, 2, 3);
int sprintf(char *text, const char *format, ...) WB_FORMAT(printf, 2, 3);
int snprintf(char *text, size_t size, const char *format, ...) WB_FORMAT(printf, 3, 4);
int dprintf(int file, const char *format, ...) WB_FORMAT(printf, 2, 3);
int vfprintf(FILE *file, const char *format, va_list arguments);
int vsprintf(char *text, const char *format, va_list arguments);
int vsnprintf(char *text, size_t size, const char *format, va_list arguments);
int scanf(const char *format, ...) WB_FORMAT(scanf, 1, 2);
int fscanf(FILE *file, const char *format, ...) WB_FORMAT(scanf, 2, 3);
int sscanf(const char *text, const char *format, ...) WB_FORMAT(scanf, 2, 3);
int vscanf(const char *format, va_list arguments);
int vfscanf(FILE *file, const char *format, va_list arguments);
int vsscanf(const char *text, const char *format, va_list arguments);

int putchar(int character);
int putc(int character, FILE *file);
int fputc(int character, FILE *file);
int puts(const char *text);
int fputs(const char *text, FILE *file);
int getchar(void);
int getc(FILE *file);
int fgetc(FILE *file);
int ungetc(int character, FILE *file);
char *fgets(char *text, int size, FILE *file);
ssize_t getline(char **line, size_t *size, FILE *file);

FILE *fopen(const char *path, const char *mode);
FILE *freopen(const char *path, const char *mode, FILE *file);
FILE *tmpfile(void);
int fclose(FILE *file);
int fflush(FILE *file);
int setvbuf(FILE *file, char *buffer, int mode, size_t size);
void setbuf(FILE *file, char *buffer);
size_t fread(void *to, size_t size, size_t count, FILE *file);
size_t fwrite(const void *from, size_t size, size_t count, FILE *file);
int fseek(FILE *file, long offset, int from);
long ftell(FILE *file);
void rewind(FILE *file);
int fgetpos(FILE *file, fpos_t *position);
int fsetpos(FILE *file, const fpos_t *position);
int feof(FILE *file);
int ferror(FILE *file);
void clearerr(FILE *file);
int fileno(FILE *file);
void perror(const char *text);
int remove(const char *path);
int rename(const char *from, const char *to);
char *tmpnam(char *name);

} // extern "C"
