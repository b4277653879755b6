// What was never written is given to the C library.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__global__ void nothing() {}

int main()
{
    int *sizes = (int *)malloc(2 * sizeof(int));
    char *text = (char *)malloc(8);
    char copy[8] = "abc";
    void *room = malloc(sizes[1]); // expect: error uninitialized-read
    memcpy(copy, text, 4); // copying is no mistake
    if (memcmp(copy, "abc", 3) == 0) // expect: error uninitialized-read
        printf("equal\n");
    if (strlen(text) > 8) // expect: error uninitialized-read
        printf("long\n");
    free(room);
    free(sizes);
    free(text);
    return 0;
}
