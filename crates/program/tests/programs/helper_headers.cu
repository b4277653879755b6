// Headers of NVIDIA's samples and of a book, which programs use without having them beside them.
#include <cuda_runtime.h>
#include <helper_cuda.h>
#include <helper_functions.h>
#include "../common/book.h"

__global__ void fill(int *out)
{
    out[threadIdx.x] = threadIdx.x;
}

int main(int argc, char **argv)
{
    StopWatchInterface *timer = nullptr;
    sdkCreateTimer(&timer);
    sdkStartTimer(&timer);
    if (!checkCudaCapabilities(7, 0))
        return 2;
    int size = 32;
    if (checkCmdLineFlag(argc, (const char **)argv, "size"))
        size = getCmdLineArgumentInt(argc, (const char **)argv, "size");
    int *d, h[32];
    checkCudaErrors(cudaMalloc(&d, size * sizeof(int)));
    fill<<<1, size>>>(d);
    getLastCudaError("fill failed");
    HANDLE_ERROR(cudaMemcpy(h, d, size * sizeof(int), cudaMemcpyDeviceToHost));
    HANDLE_ERROR(cudaFree(d));
    sdkStopTimer(&timer);
    printf("%d %d\n", h[7], sdkGetTimerValue(&timer) >= 0); // prints: 7 1
    sdkDeleteTimer(&timer);
    HANDLE_ERROR(cudaMemcpy(h, h, 4, cudaMemcpyDeviceToDevice)); // expect: error host-access
    return 0; // returns: 1, prints: invalid argument in helper_headers.cu at line 31
}
