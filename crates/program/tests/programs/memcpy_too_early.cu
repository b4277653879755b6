// The host's memcpy and memset touch what a kernel and a copy are still at work on.
// prints: 0
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void fill(int *p) { p[threadIdx.x] = threadIdx.x; }

int main()
{
    int *managed, *device, *pinned, got[64];
    cudaMallocManaged(&managed, sizeof(got));
    cudaMalloc(&device, sizeof(got));
    cudaMallocHost(&pinned, sizeof(got));
    memset(pinned, 1, sizeof(got));
    fill<<<1, 64>>>(managed);
    memset(managed, 0, sizeof(got)); // expect: error host-access
    cudaDeviceSynchronize();
    cudaMemcpyAsync(device, pinned, sizeof(got), cudaMemcpyHostToDevice);
    memcpy(pinned, managed, sizeof(got)); // expect: error host-access
    cudaDeviceSynchronize();
    memcpy(got, managed, sizeof(got));
    cudaMemcpy(got, device, sizeof(got), cudaMemcpyDeviceToHost);
    printf("%d\n", got[0] == got[1]);
    cudaFree(managed);
    cudaFree(device);
    cudaFreeHost(pinned);
}
