// malloc and free in device code.
#include <cuda_runtime.h>

// Each thread has a list of its own, and sums it.
extern "C" __global__ void lists(int* out, int n)
{
    int* list = (int*)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        list[i] = i * threadIdx.x;
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += list[i];
    out[threadIdx.x] = sum;
    free(list);
}

extern "C" __global__ void tooMuch(int* out)
{
    void* all = malloc(64 << 20);
    out[0] = all == nullptr;
    free(all);
}

extern "C" __global__ void pastTheEnd(int* out, int n)
{
    int* list = (int*)malloc(n * sizeof(int));
    list[n] = 1; // expect: out-of-bounds
    out[0] = list[n];
}

extern "C" __global__ void afterFree(int* out)
{
    int** at = (int**)out;
    *at = (int*)malloc(16);
    (*at)[0] = 5;
    free(*at);
    out[2] = (*at)[0]; // expect: use-after-free
}

extern "C" __global__ void twice(int* out)
{
    void* list = malloc(16);
    free(list);
    free(list); // expect: out-of-bounds
    out[0] = 1;
}
