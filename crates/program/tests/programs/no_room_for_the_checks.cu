// The simulator has not enough memory to check a launch: it says so there, and nothing about what would follow.
#include <assert.h>
#include <stdlib.h>
#include <cuda_runtime.h>

__global__ void clear(char *out)
{
    // One byte of every page.
    out[(blockIdx.x * blockDim.x + threadIdx.x) * 4096ull] = 0;
}

int main()
{
    const size_t bytes = 48 << 20;
    char *out;
    char *result = (char *)malloc(1);
    cudaMalloc(&out, bytes);
    clear<<<bytes / 4096 / 128, 128>>>(out); // expect: error memory-limit
    cudaMemcpy(result, out, 1, cudaMemcpyDeviceToHost);
    assert(*result == 0);
    free(result);
    cudaFree(out);
    return 0;
}
