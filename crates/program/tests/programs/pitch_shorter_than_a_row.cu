#include <cstdio>

int main() {
  char *device;
  cudaMalloc(&device, 256);
  char host[64] = {};
  cudaMemcpy2D(device, 8, host, 16, 16, 4, cudaMemcpyHostToDevice);  // expect: error host-access
  cudaError_t first = cudaGetLastError();
  cudaExtent extent = make_cudaExtent(16, 4, 2);
  cudaMemset3D(make_cudaPitchedPtr(device, 16, 16, 2), 0, extent);  // expect: error host-access
  printf("%d %d\n", first, cudaGetLastError());  // prints: 12 1
  cudaFree(device);
  return 0;
}
