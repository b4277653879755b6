#include <cstdio>

__global__ void fill(int *a) {
  a[threadIdx.x] = 7;
}

int main() {
  int host[32] = {};
  int *a;
  cudaMalloc(&a, sizeof host);
  fill<<<1, 32>>>(a);
  cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
  cudaDeviceReset();
  cudaError_t late = cudaMemcpy(host, a, sizeof host, cudaMemcpyDefault);  // expect: error use-after-free
  cudaError_t freed = cudaFree(a);  // expect: error use-after-free
  printf("%d %d %d\n", host[31], late, freed);  // prints: 7 1 1

  // Memory that is asked for after it is there.
  int *b;
  cudaMalloc(&b, sizeof host);
  fill<<<1, 32>>>(b);
  cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(b);
  return 0;
}
