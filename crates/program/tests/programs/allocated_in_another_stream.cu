// Memory of cudaMallocAsync is there for what comes later in its own stream, or waits for that.
#include <cstdio>

__global__ void fill(int *a) {
  a[threadIdx.x] = 7;
}

__global__ void fill_early(int *a) {
  a[threadIdx.x] = 7;  // expect: error data-race
}

int main() {
  cudaStream_t one;
  cudaStream_t two;
  cudaStreamCreate(&one);
  cudaStreamCreate(&two);
  int *a;
  cudaMallocAsync(&a, 32 * sizeof(int), one);
  fill_early<<<1, 32, 0, two>>>(a);
  cudaDeviceSynchronize();

  int *b;
  cudaEvent_t there;
  cudaEventCreate(&there);
  cudaMallocAsync(&b, 32 * sizeof(int), one);
  cudaEventRecord(there, one);
  cudaStreamWaitEvent(two, there, 0);
  fill<<<1, 32, 0, two>>>(b);
  int last;
  cudaMemcpyAsync(&last, b + 31, sizeof(int), cudaMemcpyDeviceToHost, two);
  cudaFreeAsync(b, two);
  cudaFreeAsync(a, two);
  cudaStreamSynchronize(two);
  printf("%d\n", last);  // prints: 7
  cudaEventDestroy(there);
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
  return 0;
}
