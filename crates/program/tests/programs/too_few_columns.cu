// Whole blocks alone: the last columns and rows are left out.
#include <cstdio>
#include <vector>

__global__ void twice(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    out[y * width + x] = 2 * in[y * width + x];
  }
}

int main() {
  const int width = 100;
  const int height = 60;
  std::vector<float> all(width * height, 1);
  float *in;
  float *out;
  cudaMalloc(&in, all.size() * sizeof(float));
  cudaMalloc(&out, all.size() * sizeof(float));
  cudaMemcpy(in, all.data(), all.size() * sizeof(float), cudaMemcpyHostToDevice);
  dim3 block(16, 16);
  dim3 grid(width / block.x, height / block.y);
  twice<<<grid, block>>>(in, out, width, height);
  cudaMemcpy(all.data(), out, all.size() * sizeof(float), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (float one : all) {
    sum += one;
  }
  printf("%d\n", sum == 12000);  // expect: error uninitialized-read, prints: 0
  cudaFree(in);
  cudaFree(out);
  return 0;
}
