// A kernel is stopped, and the program goes on: what it checks then was never computed, and nothing is said
// of that but the check itself.
#include <assert.h>
#include <stdlib.h>
#include <cuda_runtime.h>

__global__ void twice(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        out[i] = 2 * in[i]; // expect: error out-of-bounds
}

int main()
{
    const int n = 64;
    int *in, *out;
    int *result = (int *)malloc(n * sizeof(int));
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemset(in, 1, n * sizeof(int));  // expect: note host-access
    twice<<<2, 64>>>(in, out, n);
    cudaMemcpy(result, out, n * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i)
        assert(result[i] == 0x02020202); // expect: error trap
    free(result);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
