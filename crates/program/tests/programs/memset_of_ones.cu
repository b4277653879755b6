#include <cstdio>

__global__ void twice(const int *in, int *out) {
  out[threadIdx.x] = 2 * in[threadIdx.x];  // expect: error uninitialized-read
}

int main() {
  int *ones;
  cudaMalloc(&ones, 32 * sizeof(int));
  cudaMemset(ones, 1, 32 * sizeof(int));  // expect: note host-access
  char *bytes;
  cudaMalloc(&bytes, 32);
  cudaMemset(bytes, 1, 32 * sizeof(char));
  cudaMemset(bytes, 0, 32);
  int first;
  cudaMemcpy(&first, ones, sizeof first, cudaMemcpyDeviceToHost);
  printf("%d\n", first);  // prints: 16843009

  int *in;
  cudaMalloc(&in, 32 * sizeof(int));
  twice<<<1, 32>>>(in, ones);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(ones);
  cudaFree(bytes);
  return 0;
}
