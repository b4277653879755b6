// What a function of the library does counts as the host's work: bytes are counted, not calls.
#include <stdlib.h>
#include <string.h>

__global__ void nothing() {}

int main()
{
    const size_t bytes = 1 << 20;
    char *array = (char *)malloc(bytes);
    for (;;)
        memset(array, 1, bytes); // expect: error step-limit
}
