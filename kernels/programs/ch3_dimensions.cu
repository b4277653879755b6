// A grid of two dimensions: each thread of 6 blocks of 12 threads says where it stands; then the sums of a
// matrix's rows and columns.
//
//     nvcc -arch=native -o ch3_dimensions ch3_dimensions.cu && ./ch3_dimensions
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

// Every call of the runtime can fail, and says so only to those who ask.
#define CHECK(call)                                                                          \
    do {                                                                                     \
        cudaError_t error = (call);                                                          \
        if (error != cudaSuccess) {                                                          \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));   \
            exit(EXIT_FAILURE);                                                              \
        }                                                                                    \
    } while (0)

// Lives as long as the program; every kernel can read it, and none can write it.
__constant__ unsigned int weights[4];

// Lives as long as the program; every kernel can read and write it.
__device__ unsigned int cellsSeen;

// A function of the device: kernels call it, the host cannot.
__device__ unsigned int weighted(unsigned int value, unsigned int column)
{
    return value * weights[column % 4];
}

__global__ void whoAmI()
{
    unsigned int column = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    printf("block (%u, %u) of %u x %u, thread (%u, %u): row %u, column %u\n", blockIdx.x, blockIdx.y,
           gridDim.x, gridDim.y, threadIdx.x, threadIdx.y, row, column);
}

// One thread for each cell of the matrix. Neither dimension is a multiple of the block's, so both are
// guarded. atomicAdd adds as one step, whatever other threads do meanwhile.
__global__ void rowAndColumnSums(const unsigned int *matrix, unsigned int rows, unsigned int columns,
                                 unsigned int *rowSums, unsigned int *columnSums)
{
    unsigned int column = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) {
        unsigned int value = weighted(matrix[row * columns + column], column);
        atomicAdd(&rowSums[row], value);
        atomicAdd(&columnSums[column], value);
        atomicAdd(&cellsSeen, 1);
    }
}

unsigned int total(const std::vector<unsigned int> &sums)
{
    unsigned int total = 0;
    for (unsigned int sum : sums) {
        total += sum;
    }
    return total;
}

int main()
{
    // 3 x 2 blocks of 4 x 3 threads: 12 columns and 6 rows.
    whoAmI<<<dim3(3, 2), dim3(4, 3)>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    const unsigned int rows = 50, columns = 70;
    const unsigned int hostWeights[4] = {1, 2, 3, 4};
    std::vector<unsigned int> numbers(rows * columns), rowSums(rows), columnSums(columns);
    unsigned int expected = 0;
    for (unsigned int i = 0; i < rows * columns; ++i) {
        numbers[i] = i * i % 1013;
        expected += numbers[i] * hostWeights[i % columns % 4];
    }

    unsigned int *matrix = nullptr, *ofRows = nullptr, *ofColumns = nullptr;
    CHECK(cudaMalloc(&matrix, rows * columns * sizeof(unsigned int)));
    CHECK(cudaMalloc(&ofRows, rows * sizeof(unsigned int)));
    CHECK(cudaMalloc(&ofColumns, columns * sizeof(unsigned int)));
    CHECK(cudaMemcpy(matrix, numbers.data(), rows * columns * sizeof(unsigned int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(ofRows, 0, rows * sizeof(unsigned int)));
    CHECK(cudaMemset(ofColumns, 0, columns * sizeof(unsigned int)));
    // A variable of the device is named by itself, not by its address.
    CHECK(cudaMemcpyToSymbol(weights, hostWeights, sizeof(hostWeights)));

    dim3 threads(16, 8);
    dim3 blocks((columns + threads.x - 1) / threads.x, (rows + threads.y - 1) / threads.y);
    rowAndColumnSums<<<blocks, threads>>>(matrix, rows, columns, ofRows, ofColumns);
    CHECK(cudaGetLastError());

    unsigned int seen = 0;
    CHECK(cudaMemcpy(rowSums.data(), ofRows, rows * sizeof(unsigned int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(columnSums.data(), ofColumns, columns * sizeof(unsigned int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpyFromSymbol(&seen, cellsSeen, sizeof(seen)));
    CHECK(cudaFree(matrix));
    CHECK(cudaFree(ofRows));
    CHECK(cudaFree(ofColumns));

    unsigned int byRows = total(rowSums), byColumns = total(columnSums);
    printf("%u cells: rows add up to %u, columns to %u, the host has %u\n", seen, byRows, byColumns,
           expected);
    bool isRight = seen == rows * columns && byRows == expected && byColumns == expected;
    return isRight ? EXIT_SUCCESS : EXIT_FAILURE;
}
