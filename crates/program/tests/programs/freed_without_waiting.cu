// Memory of cudaMallocAsync: cudaFree waits for nothing that uses it.
#include <cstdio>

__global__ void fill(int *a) {
  a[threadIdx.x] = 7;
}

int main() {
  cudaStream_t work;
  cudaStreamCreate(&work);
  int *host;
  cudaMallocHost(&host, 32 * sizeof(int));
  int *early;
  cudaMallocAsync(&early, 32 * sizeof(int), work);
  fill<<<1, 32, 0, work>>>(early);
  cudaFree(early);  // expect: error data-race

  int *a;
  cudaMallocAsync(&a, 32 * sizeof(int), work);
  fill<<<1, 32, 0, work>>>(a);
  cudaMemcpyAsync(host, a, 32 * sizeof(int), cudaMemcpyDeviceToHost, work);
  cudaStreamSynchronize(work);
  // By now all is complete.
  cudaFree(a);
  printf("%d\n", host[31]);  // prints: 7
  cudaFreeHost(host);
  cudaStreamDestroy(work);
  return 0;
}
