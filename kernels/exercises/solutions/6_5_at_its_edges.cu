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
    //@ begin
    float max = maxOfRow(x);
    float part = max == -INFINITY ? 0 : expf(x - max);
    float sum = sumOfRow(part);
    shares[threadIdx.x] = sum == 0 ? 0 : part / sum;
    //@ stub
    //| float part = expf(x);
    //| shares[threadIdx.x] = part / sumOfRow(part);
    //@ end
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
