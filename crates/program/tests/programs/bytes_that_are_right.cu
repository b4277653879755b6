#include <cstdio>

__global__ void next(const int *in, int *out) {
  out[threadIdx.x] = in[threadIdx.x + 1];  // expect: error out-of-bounds
}

int main() {
  int *in;
  int *out;
  cudaMalloc(&in, 32 * sizeof(int));
  cudaMalloc(&out, 32 * sizeof(int));
  cudaMemset(in, 0, 32 * sizeof(int));
  // The 128 bytes of `in` are as many as this launch has threads.
  next<<<4, 32>>>(in, out);
  cudaFree(in);
  cudaFree(out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));  // prints: cudaErrorIllegalAddress
  return 0;
}
