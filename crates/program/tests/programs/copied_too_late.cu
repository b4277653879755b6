#include <cstdio>

__global__ void twice(const int *table, int *out) {
  out[threadIdx.x] = 2 * table[threadIdx.x];
}

int main() {
  int *host;
  cudaMallocHost(&host, 32 * sizeof(int));
  for (int i = 0; i < 32; i++) {
    host[i] = i;
  }
  int *table;
  int *out;
  cudaMalloc(&table, 32 * sizeof(int));
  cudaMalloc(&out, 32 * sizeof(int));
  cudaStream_t first;
  cudaStream_t second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaMemcpyAsync(table, host, 32 * sizeof(int), cudaMemcpyHostToDevice, first);  // expect: error data-race
  twice<<<1, 32, 0, second>>>(table, out);
  cudaStreamSynchronize(second);
  cudaDeviceSynchronize();
  cudaFreeHost(host);
  cudaFree(table);
  cudaFree(out);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  return 0;
}
