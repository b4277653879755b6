// A loop of the host that takes longer than a program may: its line is named.
#include <stdio.h>
#include <cuda_runtime.h>

__global__ void nothing() {}

int main()
{
    unsigned sum = 0;
    for (unsigned i = 0; i < 100; ++i)
        sum ^= i * i;
    printf("before\n"); // prints: before
    for (unsigned i = 0; i < 2000000000; ++i)
        sum = sum * 3 + (i ^ sum >> 5); // expect: error step-limit
    printf("%u\n", sum);
    return 0;
}
