// An assertion of the host fails.
#include <assert.h>
#include <stdio.h>

__global__ void nothing() {}

int main(int argc, char **)
{
    printf("before\n"); // prints: before
    assert(argc == 1); // expect: error trap
    printf("behind\n");
    return 0;
}
