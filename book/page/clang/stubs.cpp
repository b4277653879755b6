// What the libraries ask of POSIX at the link and wasi-libc lacks.
#include <stddef.h>

extern "C" int posix_madvise(void *, size_t, int) { return 0; }

extern "C" int gethostname(char *name, size_t size) {
  if (size)
    *name = 0;
  return 0;
}

int __wasilibc_dttoif(int) { return 0; }
