// Exercise 6.5: A softmax at its edges
//
// A score's share is exp(score) over the sum of exp(score) in its row. This program prints the shares in
// percent. Only those of the first row are right: exp(1000) is too large for a `float` and for a `double`,
// and exp(-900) is 0 in both. Subtract the largest score of the row first. A score of -∞ is masked, and its
// share is 0. In the last row all are masked: every share there has to be 0 too.
//
// The program has to print `25 0 25 25 0 0 25 0`, `0 20 0 20 0 20 20 20`, `0 50 0 0 0 0 50 0`, `0 0 0 0 0
// 0 0 0`.
//
// You learn why a softmax subtracts the maximum of its row, and what a row without a score needs. About 10
// minutes.
//
// Check it:  cargo run --example exercise -- 6.5
// A hint:    cargo run --example exercise -- hint 6.5

#include <cmath>
#include <cstdio>

const int rows = 4, columns = 8;

// The largest x of a row, and the sum of its x, for each of the row's 8 neighbouring lanes.
static __device__ float maxOfRow(float x)
{
    for (int d = columns / 2; d > 0; d /= 2) {
        x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, d));
    }
    return x;
}
static __device__ float sumOfRow(float x)
{
    for (int d = columns / 2; d > 0; d /= 2) {
        x += __shfl_xor_sync(0xffffffff, x, d);
    }
    return x;
}

// A lane per score, 8 lanes per row, one warp for all.
__global__ void softmax(const float *scores, float *shares)
{
    float x = scores[threadIdx.x];
    float part = expf(x);
    shares[threadIdx.x] = part / sumOfRow(part);
}

int main()
{
    const float no = -INFINITY; // masked: no score
    const float scores[rows][columns] = {
        {1, no, 1, 1, no, no, 1, no},
        {800, 1000, 800, 1000, 900, 1000, 1000, 1000},
        {-1000, -900, -1000, -1000, -1100, -1100, -900, -1000},
        {no, no, no, no, no, no, no, no},
    };
    float shares[rows][columns] = {};
    float *in = nullptr, *out = nullptr;
    cudaMalloc(&in, sizeof(scores));
    cudaMalloc(&out, sizeof(shares));
    cudaMemcpy(in, scores, sizeof(scores), cudaMemcpyHostToDevice);
    softmax<<<1, rows * columns>>>(in, out);
    cudaMemcpy(shares, out, sizeof(shares), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            printf("%.0f%c", 100 * shares[row][column], column + 1 < columns ? ' ' : '\n'); // percent
        }
    }
}
