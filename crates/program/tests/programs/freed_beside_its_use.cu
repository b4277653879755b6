#include <cstdio>

__global__ void fill(int *a) {
  a[threadIdx.x] = 7;
}

int main() {
  int *host;
  cudaMallocHost(&host, 32 * sizeof(int));
  cudaStream_t work;
  cudaStream_t other;
  cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  int *a;
  int *b;
  cudaMallocAsync(&a, 32 * sizeof(int), work);
  cudaMallocAsync(&b, 32 * sizeof(int), work);
  fill<<<1, 32, 0, work>>>(a);
  cudaMemcpyAsync(host, a, 32 * sizeof(int), cudaMemcpyDeviceToHost, work);
  cudaFreeAsync(b, work);

  // Its stream does not wait for the other one.
  cudaFreeAsync(a, other);  // expect: error data-race
  cudaDeviceSynchronize();
  printf("%d\n", host[31]);  // prints: 7
  cudaFreeHost(host);
  cudaStreamDestroy(work);
  cudaStreamDestroy(other);
  return 0;
}
