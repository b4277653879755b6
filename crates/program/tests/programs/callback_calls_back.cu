// A function that the library calls back calls the library again, without end: the host's stack is full.
#include <stdlib.h>

static int numbers[2];

int compared(const void *, const void *)
{
    qsort(numbers, 2, sizeof(int), compared); // expect: error memory-limit
    return 0;
}

__global__ void nothing() {}

int main()
{
    qsort(numbers, 2, sizeof(int), compared);
    return 0;
}
