// Chapter 3 as a whole program: many blocks, each with a partial sum; the host adds those up.
//
//     nvcc -arch=native -o ch3_blocks ch3_blocks.cu && ./ch3_blocks
#include <climits>
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

// Block b adds up the elements from b * blockDim.x on: blockDim.x of them, fewer in the last block.
__global__ void reduceInterleaved(unsigned int *data, unsigned int *partials, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    unsigned int count = min(blockDim.x, size - first);
    unsigned int *chunk = data + first;
    for (unsigned int length = count; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            chunk[tid] += chunk[tid + half];
        }
        __syncthreads();
    }
    if (tid == 0) {
        partials[blockIdx.x] = chunk[0];
    }
}

// Chapter 1's recursion, which says what is right. It overwrites the numbers.
unsigned int recursiveReduce(unsigned int *data, size_t size)
{
    if (size <= 1) {
        return size == 1 ? data[0] : 0;
    }
    size_t half = (size + 1) / 2;
    for (size_t i = 0; i + half < size; ++i) {
        data[i] += data[i + half];
    }
    return recursiveReduce(data, half);
}

// A number of the command line; 0 if it is none, or too large.
unsigned int number(const char *text)
{
    unsigned long long value = strtoull(text, nullptr, 10);
    return value <= UINT_MAX ? value : 0;
}

int main(int argc, char **argv)
{
    unsigned int size = argc > 1 ? number(argv[1]) : 10000;
    unsigned int threads = argc > 2 ? number(argv[2]) : 256;
    if (size == 0 || threads == 0) {
        fprintf(stderr, "usage: %s SIZE THREADS, both at least 1\n", argv[0]);
        return EXIT_FAILURE;
    }
    // As many blocks as the elements need: the quotient, rounded up.
    unsigned int blocks = (size - 1) / threads + 1;

    std::vector<unsigned int> numbers(size);
    for (size_t i = 0; i < size; ++i) {
        numbers[i] = i * i % 1013;
    }
    std::vector<unsigned int> sums(blocks);

    unsigned int *data = nullptr;
    unsigned int *partials = nullptr;
    CHECK(cudaMalloc(&data, size * sizeof(unsigned int)));
    CHECK(cudaMalloc(&partials, blocks * sizeof(unsigned int)));
    CHECK(cudaMemcpy(data, numbers.data(), size * sizeof(unsigned int), cudaMemcpyHostToDevice));

    // Events are marks in the stream of work. The time between these two includes the wait for the launch,
    // and at the first launch also that for the kernel's code.
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    reduceInterleaved<<<blocks, threads>>>(data, partials, size);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));

    // This copy waits for the kernel.
    CHECK(cudaMemcpy(sums.data(), partials, blocks * sizeof(unsigned int), cudaMemcpyDeviceToHost));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));

    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaFree(data));
    CHECK(cudaFree(partials));

    unsigned int result = 0;
    for (unsigned int sum : sums) {
        result += sum;
    }
    unsigned int expected = recursiveReduce(numbers.data(), size);
    printf("%u elements: the GPU's sum is %u, the recursion's %u\n", size, result, expected);
    printf("%u blocks of %u threads; from event to event: %.1f us\n", blocks, threads, 1000 * milliseconds);
    return result == expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
