// Page 4.1 in C++: the passes of a sum, captured once and launched by one call, twice.
// prints: 1999000 1999000
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

constexpr unsigned int THREADS = 256;

// Each block adds up THREADS elements and leaves one sum.
__global__ void addPass(const unsigned int *data, unsigned int *sums, unsigned int size)
{
    __shared__ unsigned int cache[THREADS];
    unsigned int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    cache[t] = i < size ? data[i] : 0;
    __syncthreads();
    for (unsigned int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) {
            cache[t] += cache[t + half];
        }
        __syncthreads();
    }
    if (t == 0) {
        sums[blockIdx.x] = cache[0];
    }
}

int main()
{
    const unsigned int size = 2000, blocks = (size + THREADS - 1) / THREADS;
    std::vector<unsigned int> numbers(size);
    std::iota(numbers.begin(), numbers.end(), 0u);
    unsigned int *data, *partials, *sum, results[2];
    CHECK(cudaMalloc(&data, size * sizeof(unsigned int)));
    CHECK(cudaMalloc(&partials, blocks * sizeof(unsigned int)));
    CHECK(cudaMalloc(&sum, sizeof(unsigned int)));
    CHECK(cudaMemcpy(data, numbers.data(), size * sizeof(unsigned int), cudaMemcpyHostToDevice));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));

    // ANCHOR: graph
    cudaGraph_t graph;
    cudaGraphExec_t launchable;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    addPass<<<blocks, THREADS, 0, stream>>>(data, partials, size); // noted down, not run
    addPass<<<1, THREADS, 0, stream>>>(partials, sum, blocks);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&launchable, graph, 0)); // once: the driver prepares the launches
    CHECK(cudaGraphLaunch(launchable, stream)); // as often as you like: one call for both passes
    // ANCHOR_END: graph
    CHECK(cudaMemcpyAsync(&results[0], sum, sizeof(unsigned int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaGraphLaunch(launchable, stream));
    CHECK(cudaMemcpyAsync(&results[1], sum, sizeof(unsigned int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("%u %u\n", results[0], results[1]);

    CHECK(cudaGraphExecDestroy(launchable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(data));
    CHECK(cudaFree(partials));
    CHECK(cudaFree(sum));
}
