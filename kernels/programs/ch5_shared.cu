// Chapter 5 as a whole program: a dot product. The grid has at most 32 blocks, however long the arrays, and
// the threads of a block put their sums side by side in shared memory.
//
//     nvcc -arch=native -o ch5_shared ch5_shared.cu && ./ch5_shared
#include <cfloat>
#include <climits>
#include <cmath>
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

constexpr unsigned int THREADS = 256;
constexpr unsigned int MAX_BLOCKS = 32;

// Thread i of the grid multiplies the elements i, i + G, i + 2G, ..., where G is the number of threads.
__global__ void dot(const float *a, const float *b, float *c, unsigned int n)
{
    __shared__ float cache[THREADS];
    unsigned int t = threadIdx.x;
    float sum = 0;
    size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + t; i < n; i += threads) {
        sum += a[i] * b[i];
    }
    cache[t] = sum;
    // Every sum is in the cache before any thread reads a neighbour's.
    __syncthreads();
    for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (t + half < length) {
            cache[t] += cache[t + half];
        }
        __syncthreads();
    }
    if (t == 0) {
        c[blockIdx.x] = cache[0];
    }
}

// Chapter 1's recursion, of products in double. It overwrites them.
double recursiveReduce(double *data, size_t size)
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
    unsigned int n = argc > 1 ? number(argv[1]) : 33 * 1024;
    if (n == 0) {
        fprintf(stderr, "usage: %s SIZE, at least 1\n", argv[0]);
        return EXIT_FAILURE;
    }
    unsigned int needed = (n - 1) / THREADS + 1;
    unsigned int blocks = needed < MAX_BLOCKS ? needed : MAX_BLOCKS;

    std::vector<float> a(n), b(n), sums(blocks);
    std::vector<double> products(n);
    double magnitude = 0;
    for (size_t i = 0; i < n; ++i) {
        a[i] = 1.0f / (i % 7 + 1);
        b[i] = (i % 2 == 0 ? 1.0f : -1.0f) * (i % 1013);
        products[i] = (double)a[i] * b[i];
        magnitude += fabs(products[i]);
    }

    float *devA = nullptr, *devB = nullptr, *partials = nullptr;
    CHECK(cudaMalloc(&devA, n * sizeof(float)));
    CHECK(cudaMalloc(&devB, n * sizeof(float)));
    CHECK(cudaMalloc(&partials, blocks * sizeof(float)));
    CHECK(cudaMemcpy(devA, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(devB, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));

    dot<<<blocks, THREADS>>>(devA, devB, partials, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sums.data(), partials, blocks * sizeof(float), cudaMemcpyDeviceToHost));

    CHECK(cudaFree(devA));
    CHECK(cudaFree(devB));
    CHECK(cudaFree(partials));

    float result = 0;
    for (float sum : sums) {
        result += sum;
    }
    double expected = recursiveReduce(products.data(), n);
    // A product goes through so many roundings at most: its own, its thread's, its block's, the host's. Each
    // is off by at most half a unit in the last place.
    double roundings = 1.0 + (n / (blocks * THREADS) + 1) + ceil(log2(THREADS)) + blocks;
    double bound = roundings * FLT_EPSILON / 2 * magnitude;
    double difference = fabs(result - expected);
    bool isRight = difference <= bound;
    printf("%u elements: the GPU's dot product is %.3f, the recursion's %.3f\n", n, result, expected);
    const char *verdict = isRight ? "right" : "wrong";
    printf("they differ by %.3f, at most %.3f is allowed: %s\n", difference, bound, verdict);
    return isRight ? EXIT_SUCCESS : EXIT_FAILURE;
}
