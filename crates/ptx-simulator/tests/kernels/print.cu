// What device code prints.
#include <cstdio>
#include <cuda_runtime.h>

extern "C" __global__ void formats(const int* in, const double* real, int* counts)
{
    printf("no argument\n");
    printf("%d|%5d|%-5d|%05d|%+d|% d|%i\n", in[0], in[0], in[0], in[0], in[0], in[0], in[1]);
    printf("%u|%x|%X|%#x|%o|%#o\n", in[1], in[1], in[1], in[0], in[0], in[0]);
    printf("%lld|%llu|%llx|%ld\n", (long long)in[1], (unsigned long long)in[1], 1ull << 40, 1l << 33);
    printf("%hd|%hhd|%hu\n", in[2], in[2], in[2]);
    printf("%f|%.2f|%10.3f|%-8.1f|%e|%.1E|%g|%g\n", real[0], real[0], real[0], real[0], real[1], real[1],
           real[0], real[2]);
    printf("%f|%f|%f|%5.1f\n", real[3], -real[3], real[4], -real[3]);
    printf("%c%c|%s|%10s|%-6s|%.2s|%%\n", 'o', 'k', "text", "right", "left", "cut");
    printf("%*d|%.*f|%.3d|%.0f\n", 6, in[0], 1, real[0], in[0], 2.5);
    printf("%p\n", (void*)0x1234abcdull);
    counts[0] = printf("%d %d\n", 1, 2);
    counts[1] = printf("none\n");
}

// Lanes print one after the other, blocks in their order.
extern "C" __global__ void order(int n)
{
    if (threadIdx.x < n)
        printf("block %d thread %d\n", blockIdx.x, threadIdx.x);
}
