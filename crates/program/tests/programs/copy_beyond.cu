// memcpy writes beyond an array.
#include <string.h>
#include <stdlib.h>

__global__ void nothing() {}

int main()
{
    float *from = (float *)calloc(16, sizeof(float));
    float *to = (float *)malloc(8 * sizeof(float));
    memcpy(to, from, 16 * sizeof(float)); // expect: error out-of-bounds
    return 0;
}
