// The simulator has less memory than a machine: it says so where the array is made. What no machine has is null.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__global__ void nothing() {}

int main()
{
    const size_t nonsense = (size_t)1 << 60;
    printf("%d\n", malloc(nonsense) == NULL); // prints: 1
    void *aligned;
    printf("%d\n", posix_memalign(&aligned, 64, nonsense)); // prints: 12
    const size_t bytes = 100 << 20;
    char *array = (char *)malloc(bytes); // expect: error memory-limit
    memset(array, 0, bytes);
    free(array);
    return 0;
}
