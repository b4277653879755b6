#include <cstdio>

__global__ void doubled(int *a) {
  a[threadIdx.x] *= 2;  // expect: error data-race
}

int main() {
  int host[32];
  for (int i = 0; i < 32; i++) {
    host[i] = i;
  }
  int *from;
  int *to;
  cudaMalloc(&from, sizeof host);
  cudaMalloc(&to, sizeof host);
  cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);

  // It returns at once, and this stream does not wait for the default stream.
  cudaMemcpy(to, from, sizeof host, cudaMemcpyDeviceToDevice);
  doubled<<<1, 32, 0, stream>>>(to);
  cudaDeviceSynchronize();

  cudaMemcpy(to, from, sizeof host, cudaMemcpyDeviceToDevice);
  cudaDeviceSynchronize();
  doubled<<<1, 32, 0, stream>>>(to);
  cudaStreamSynchronize(stream);

  // The default stream's own kernels wait for it.
  cudaMemcpy(to, from, sizeof host, cudaMemcpyDeviceToDevice);
  doubled<<<1, 32>>>(to);
  cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d\n", host[31]);  // prints: 62
  cudaStreamDestroy(stream);
  cudaFree(from);
  cudaFree(to);
  return 0;
}
