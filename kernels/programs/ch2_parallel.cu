// Chapter 2 as a whole program: the host allocates, copies, launches, copies back, frees and checks.
//
//     nvcc -arch=native -o ch2_parallel ch2_parallel.cu && ./ch2_parallel
#include <cstdio>
#include <cstdlib>
#include <utility>
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

// Runs on the GPU: one block, one thread for each element. The sum ends up in element 0.
__global__ void reduceNeighbored(unsigned int *data, unsigned int *sum, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    for (unsigned int stride = 1; stride < size; stride *= 2) {
        if (tid % (2 * stride) == 0 && tid + stride < size) {
            data[tid] += data[tid + stride];
        }
        __syncthreads();
    }
    if (tid == 0) {
        *sum = size > 0 ? data[0] : 0;
    }
}

// Runs on the CPU: chapter 1's recursion, which says what is right.
unsigned int recursiveReduce(std::vector<unsigned int> data, size_t size)
{
    if (size <= 1) {
        return size == 1 ? data[0] : 0;
    }
    size_t half = (size + 1) / 2;
    for (size_t i = 0; i + half < size; ++i) {
        data[i] += data[i + half];
    }
    return recursiveReduce(std::move(data), half);
}

int main()
{
    const unsigned int size = 1000;
    const size_t bytes = size * sizeof(unsigned int);

    // The host's memory.
    std::vector<unsigned int> numbers(size);
    for (unsigned int i = 0; i < size; ++i) {
        numbers[i] = i * i % 1013;
    }

    // The GPU's own memory: these pointers mean nothing to the host.
    unsigned int *data = nullptr;
    unsigned int *sum = nullptr;
    CHECK(cudaMalloc(&data, bytes));
    CHECK(cudaMalloc(&sum, sizeof(unsigned int)));
    CHECK(cudaMemcpy(data, numbers.data(), bytes, cudaMemcpyHostToDevice));

    // A launch returns at once. An invalid launch is reported by cudaGetLastError, an error while the kernel
    // runs by a later call.
    reduceNeighbored<<<1, size>>>(data, sum, size);
    CHECK(cudaGetLastError());

    // This copy waits for the kernel.
    unsigned int result = 0;
    CHECK(cudaMemcpy(&result, sum, sizeof(unsigned int), cudaMemcpyDeviceToHost));

    CHECK(cudaFree(data));
    CHECK(cudaFree(sum));

    unsigned int expected = recursiveReduce(numbers, size);
    printf("%u elements: the GPU's sum is %u, the recursion's %u\n", size, result, expected);
    return result == expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
