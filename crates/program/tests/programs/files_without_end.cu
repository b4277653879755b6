// A file that is open is in the simulator's memory, and counts as such.
#include <stdio.h>

__global__ void nothing() {}

int main()
{
    for (;;) {
        FILE *file = tmpfile();
        fseek(file, 16 << 20, SEEK_SET);
        fputc(1, file); // expect: error memory-limit
    }
}
