// Chapter 6 as a whole program: one template for any associative operator, and as many launches as it takes.
//
//     nvcc -arch=native -o ch6_operators ch6_operators.cu && ./ch6_operators
#include <climits>
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

// An operator: what it combines, its identity, and how it combines. Host and device use the same one.
struct Sum {
    typedef unsigned int Element;
    static __host__ __device__ Element identity() { return 0; }
    static __host__ __device__ Element combine(Element first, Element second) { return first + second; }
};

struct Max {
    typedef unsigned int Element;
    static __host__ __device__ Element identity() { return 0; }
    static __host__ __device__ Element combine(Element first, Element second)
    {
        return first > second ? first : second;
    }
};

// A string's hash: a number in base 31. To append a string, shift by its number of digits. The operands must
// keep their order.
struct Hash {
    struct Element {
        unsigned int hash;
        unsigned int power; // 31 to the number of characters
    };
    static __host__ __device__ Element identity() { return {0, 1}; }
    static __host__ __device__ Element combine(Element first, Element second)
    {
        return {first.hash * second.power + second.hash, first.power * second.power};
    }
};

// Each block combines blockDim.x elements, always the left one with the right one.
template <typename Operator>
__global__ void reduce(const typename Operator::Element *in, typename Operator::Element *out, unsigned int n)
{
    extern __shared__ __align__(16) unsigned char bytes[];
    typename Operator::Element *data = reinterpret_cast<typename Operator::Element *>(bytes);
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + tid;
    data[tid] = i < n ? in[i] : Operator::identity();
    __syncthreads();
    for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
        if (tid % (2 * stride) == 0 && tid + stride < blockDim.x) {
            data[tid] = Operator::combine(data[tid], data[tid + stride]);
        }
        __syncthreads();
    }
    if (tid == 0) {
        out[blockIdx.x] = data[0];
    }
}

// On the device: one launch after another, until one element is left.
template <typename Operator>
typename Operator::Element onDevice(const std::vector<typename Operator::Element> &elements,
                                    unsigned int threads)
{
    typedef typename Operator::Element Element;
    unsigned int n = elements.size();
    Element *from = nullptr, *to = nullptr;
    CHECK(cudaMalloc(&from, n * sizeof(Element)));
    CHECK(cudaMalloc(&to, ((n - 1) / threads + 1) * sizeof(Element)));
    CHECK(cudaMemcpy(from, elements.data(), n * sizeof(Element), cudaMemcpyHostToDevice));
    while (n > 1) {
        unsigned int blocks = (n - 1) / threads + 1;
        reduce<Operator><<<blocks, threads, threads * sizeof(Element)>>>(from, to, n);
        CHECK(cudaGetLastError());
        // Launches of one stream run one after another, so the next one may read what this one wrote.
        std::swap(from, to);
        n = blocks;
    }
    Element result;
    CHECK(cudaMemcpy(&result, from, sizeof(Element), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    return result;
}

// On the host: a recursion that keeps the operands in their order.
template <typename Operator>
typename Operator::Element recursiveReduce(const typename Operator::Element *elements, size_t size)
{
    if (size <= 1) {
        return size == 1 ? elements[0] : Operator::identity();
    }
    size_t half = (size + 1) / 2;
    return Operator::combine(recursiveReduce<Operator>(elements, half),
                             recursiveReduce<Operator>(elements + half, size - half));
}

// A number of the command line; 0 if it is none, or too large.
unsigned int number(const char *text)
{
    unsigned long long value = strtoull(text, nullptr, 10);
    return value <= UINT_MAX ? value : 0;
}

int main(int argc, char **argv)
{
    unsigned int size = argc > 1 ? number(argv[1]) : 3000;
    unsigned int threads = argc > 2 ? number(argv[2]) : 128;
    if (size == 0 || threads < 2) {
        fprintf(stderr, "usage: %s SIZE THREADS, at least 1 element and 2 threads\n", argv[0]);
        return EXIT_FAILURE;
    }
    std::vector<unsigned int> numbers(size);
    std::vector<Hash::Element> letters(size);
    for (size_t i = 0; i < size; ++i) {
        numbers[i] = i * i % 1013;
        letters[i] = {'a' + numbers[i] % 26, 31};
    }

    unsigned int sum = onDevice<Sum>(numbers, threads);
    unsigned int most = onDevice<Max>(numbers, threads);
    unsigned int hash = onDevice<Hash>(letters, threads).hash;

    unsigned int rightSum = recursiveReduce<Sum>(numbers.data(), size);
    unsigned int rightMost = recursiveReduce<Max>(numbers.data(), size);
    unsigned int rightHash = recursiveReduce<Hash>(letters.data(), size).hash;
    printf("%u elements: the GPU's sum is %u, the recursion's %u\n", size, sum, rightSum);
    printf("greatest: %u and %u; hash: %u and %u\n", most, rightMost, hash, rightHash);
    bool isRight = sum == rightSum && most == rightMost && hash == rightHash;
    return isRight ? EXIT_SUCCESS : EXIT_FAILURE;
}
