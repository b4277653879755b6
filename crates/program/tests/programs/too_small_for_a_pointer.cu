// Rows of pointers, counted as rows of numbers: a pointer has eight bytes.
#include <cstdlib>

int main() {
  const int rows = 3;
  float **device = (float **)malloc(rows * sizeof(float));
  for (int row = 0; row < rows; ++row)
    cudaMalloc(&device[row], 1024);  // expect: error out-of-bounds
  return 0;
}
