// Chapter 4 as a whole program: the recursion runs on the device. A kernel halves its chunk, and launches a
// child for what is left. Code that launches is linked with the device runtime, hence -rdc=true.
//
//     nvcc -arch=native -rdc=true -o ch4_nested ch4_nested.cu && ./ch4_nested
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

// How many launches the device has refused. The host does not learn of those unless it is told.
__device__ unsigned int refused;

// Each block halves its own chunk. Its child is a tail launch: it starts when this whole grid has ended, and
// sees all that the grid wrote. The tail launches of one grid run one after another.
__global__ void gpuRecursiveReduce(unsigned int *data, unsigned int *sums, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    unsigned int count = min(blockDim.x, size - first);
    unsigned int *chunk = data + first;
    if (count == 1) {
        if (tid == 0) {
            sums[blockIdx.x] = chunk[0];
        }
        return;
    }
    unsigned int half = (count + 1) / 2;
    if (tid + half < count) {
        chunk[tid] += chunk[tid + half];
    }
    if (tid == 0) {
        gpuRecursiveReduce<<<1, half, 0, cudaStreamTailLaunch>>>(chunk, sums + blockIdx.x, half);
        if (cudaGetLastError() != cudaSuccess) {
            atomicAdd(&refused, 1);
        }
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
    unsigned int size = argc > 1 ? number(argv[1]) : 2000;
    unsigned int threads = argc > 2 ? number(argv[2]) : 128;
    if (size == 0 || threads == 0) {
        fprintf(stderr, "usage: %s SIZE THREADS, both at least 1\n", argv[0]);
        return EXIT_FAILURE;
    }
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
    // A child keeps its place in a buffer until it has ended, and its own child needs another one.
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, max(2048u, 2 * blocks)));

    gpuRecursiveReduce<<<blocks, threads>>>(data, partials, size);
    CHECK(cudaGetLastError());

    // A grid ends when its children have ended, and these copies wait for that.
    unsigned int failures = 0;
    CHECK(cudaMemcpy(sums.data(), partials, blocks * sizeof(unsigned int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpyFromSymbol(&failures, refused, sizeof(unsigned int)));
    CHECK(cudaFree(data));
    CHECK(cudaFree(partials));

    unsigned int result = 0;
    for (unsigned int sum : sums) {
        result += sum;
    }
    unsigned int expected = recursiveReduce(numbers.data(), size);
    printf("%u elements: the GPU's sum is %u, the recursion's %u\n", size, result, expected);
    printf("%u blocks, %u launches refused\n", blocks, failures);
    return result == expected && failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
