// Page 6.1 in C++: no more blocks than fit at the same time, in a cooperative launch.
// prints: 1999000
#include <cooperative_groups.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                                          \
    do {                                                                                     \
        cudaError_t error = (call);                                                          \
        if (error != cudaSuccess) {                                                          \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));   \
            exit(EXIT_FAILURE);                                                              \
        }                                                                                    \
    } while (0)

constexpr int THREADS = 256;

// Any number of blocks adds up any number of elements; the first block adds up what all have left.
__global__ void addUp(const unsigned int *data, unsigned int *partials, unsigned int *sum, unsigned int size)
{
    __shared__ unsigned int ofBlock;
    if (threadIdx.x == 0) {
        ofBlock = 0;
    }
    __syncthreads();
    unsigned int ofThread = 0;
    for (unsigned int i = blockIdx.x * THREADS + threadIdx.x; i < size; i += gridDim.x * THREADS) {
        ofThread += data[i];
    }
    atomicAdd(&ofBlock, ofThread);
    __syncthreads();
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = ofBlock;
    }
    cooperative_groups::this_grid().sync();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *sum = 0;
        for (unsigned int block = 0; block < gridDim.x; ++block) {
            *sum += partials[block];
        }
    }
}

int main()
{
    unsigned int size = 2000, result = 0;
    std::vector<unsigned int> numbers(size);
    std::iota(numbers.begin(), numbers.end(), 0u);
    unsigned int *data, *partials, *sum;
    CHECK(cudaMalloc(&data, size * sizeof(unsigned int)));
    CHECK(cudaMalloc(&partials, size * sizeof(unsigned int)));
    CHECK(cudaMalloc(&sum, sizeof(unsigned int)));
    CHECK(cudaMemcpy(data, numbers.data(), size * sizeof(unsigned int), cudaMemcpyHostToDevice));

    int wanted = (size + THREADS - 1) / THREADS;
    // ANCHOR: cooperative
    int multiprocessors, perMultiprocessor;
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perMultiprocessor, addUp, THREADS, 0));
    int blocks = std::min(wanted, multiprocessors * perMultiprocessor); // no more than fit at once
    void *arguments[] = {&data, &partials, &sum, &size}; // their addresses, in the kernel's order
    CHECK(cudaLaunchCooperativeKernel(addUp, blocks, THREADS, arguments));
    // ANCHOR_END: cooperative
    CHECK(cudaMemcpy(&result, sum, sizeof(unsigned int), cudaMemcpyDeviceToHost));
    printf("%u\n", result);

    CHECK(cudaFree(data));
    CHECK(cudaFree(partials));
    CHECK(cudaFree(sum));
}
