// Programmatic dependent launches: the second kernel may begin before the first has ended, and has to wait
// for it itself.
#include <cstdio>

__global__ void fill(int *data, int value)
{
    cudaTriggerProgrammaticLaunchCompletion();
    data[threadIdx.x] = value;
}

__global__ void forgets(const int *data, int *out)
{
    int own = 2 * threadIdx.x;
    out[threadIdx.x] = own + data[threadIdx.x]; // expect: error data-race
    cudaGridDependencySynchronize();
}

__global__ void waits(const int *data, int *out)
{
    __shared__ int own[32];
    own[threadIdx.x] = 2 * threadIdx.x;
    cudaGridDependencySynchronize();
    out[threadIdx.x] = own[threadIdx.x] + data[threadIdx.x];
}

__global__ void one_waits(const int *data, int *out)
{
    if (threadIdx.x == 0)
        cudaGridDependencySynchronize();
    __syncthreads();
    out[threadIdx.x] += data[threadIdx.x];
}

int main()
{
    int *data, *out, result[32];
    cudaMalloc(&data, sizeof(result));
    cudaMalloc(&out, sizeof(result));
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute[0].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 32;
    config.attrs = attribute;
    config.numAttrs = 1;

    fill<<<1, 32>>>(data, 1);
    cudaLaunchKernelEx(&config, waits, (const int *)data, out);
    cudaLaunchKernelEx(&config, one_waits, (const int *)data, out);
    cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost);
    printf("%d\n", result[3]); // prints: 8

    fill<<<1, 32>>>(data, 2);
    cudaLaunchKernelEx(&config, forgets, (const int *)data, out);
    attribute[0].val.programmaticStreamSerializationAllowed = 0;
    fill<<<1, 32>>>(data, 3);
    cudaLaunchKernelEx(&config, one_waits, (const int *)data, out);
    cudaDeviceSynchronize();
    cudaFree(data);
    cudaFree(out);
    return 0;
}
