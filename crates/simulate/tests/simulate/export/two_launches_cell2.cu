// Cell 2 of two_launches.cu as a program. Build and run it:
//     nvcc -arch=native -o two_launches_cell2 two_launches_cell2.cu && ./two_launches_cell2
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <vector>

/** Adds up a block's numbers. */
extern "C" __global__ void blockSums(const float *in, float *out, unsigned n)
{
    __shared__ float partial[256];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    partial[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride)
            partial[threadIdx.x] += partial[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = partial[0];
}

// Ends the program where a call of the CUDA runtime fails.
#define CHECK(...)                                                                                  \
    do {                                                                                            \
        const cudaError_t status = __VA_ARGS__;                                                     \
        if (status != cudaSuccess) {                                                                \
            std::cerr << __FILE__ << ':' << __LINE__ << ": " << cudaGetErrorString(status) << '\n'; \
            std::exit(1);                                                                           \
        }                                                                                           \
    } while (0)

// Random number i of those that a seed gives, at least 0 and less than 1 (SplitMix64).
static double randomUnit(uint64_t seed, uint64_t i)
{
    uint64_t bits = seed + (i + 1) * 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    bits ^= bits >> 31;
    return (bits >> 11) / 9007199254740992.0; // 53 bits, divided by 2^53
}

// Counts the elements from `first` to before `end` that are not as expected, and prints the first of
// them. A float may be off by `within` times the expected value, or by `within` if that is below 1.
template <typename T>
size_t differing(const char *name, const std::vector<T> &actual, const std::vector<T> &expected,
                 size_t first, size_t end, double within)
{
    size_t count = 0;
    for (size_t i = first; i < end; ++i) {
        const double is = actual[i];
        const double wanted = expected[i];
        const double allowed = within * std::fmax(std::fabs(wanted), 1.0);
        const bool isClose = within > 0 && std::fabs(is - wanted) <= allowed;
        if (actual[i] == expected[i] || isClose || (std::isnan(is) && std::isnan(wanted)))
            continue;
        if (count == 0)
            std::cout << name << '[' << i << "] is " << +actual[i] << ", expected " << +expected[i] << '\n';
        ++count;
    }
    return count;
}

// Prints the first elements of an array.
template <typename T> void show(const char *name, const std::vector<T> &elements)
{
    const size_t shown = elements.size() < 8 ? elements.size() : 8;
    std::cout << name << ':';
    for (size_t i = 0; i < shown; ++i)
        std::cout << ' ' << +elements[i];
    std::cout << (shown < elements.size() ? " ...\n" : "\n");
}

int main()
{
    std::cout.precision(9); // a float has no more digits
    size_t wrong = 0;

    // buffer in   = f32:random*4096
    const size_t n_in = 4096;
    float *d_in;
    CHECK(cudaMalloc(&d_in, n_in * sizeof(float)));
    std::vector<float> h_in(n_in);
    for (size_t i = 0; i < n_in; ++i)
        h_in[i] = 2.0 * randomUnit(1, i) - 1.0;
    CHECK(cudaMemcpy(d_in, h_in.data(), n_in * sizeof(float), cudaMemcpyHostToDevice));

    // buffer sums = f32:uninit*16
    const size_t n_sums = 16;
    float *d_sums;
    CHECK(cudaMalloc(&d_sums, n_sums * sizeof(float)));
    std::vector<float> h_sums(n_sums);

    // buffer all = f32:uninit*1
    const size_t n_all = 1;
    float *d_all;
    CHECK(cudaMalloc(&d_all, n_all * sizeof(float)));
    std::vector<float> h_all(n_all);

    // launch blockSums<<<16, 256>>> @in @sums i32:4096
    blockSums<<<16, 256>>>(d_in, d_sums, 4096);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    // launch blockSums<<<1, 256>>> @sums @all i32:16
    blockSums<<<1, 256>>>(d_sums, d_all, 16);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    // expect all = f32:-87.4 within 1e-3
    CHECK(cudaMemcpy(h_all.data(), d_all, n_all * sizeof(float), cudaMemcpyDeviceToHost));
    std::vector<float> expected_all = {-87.4f};
    wrong += differing("all", h_all, expected_all, 0, n_all, 0.001);

    CHECK(cudaMemcpy(h_sums.data(), d_sums, n_sums * sizeof(float), cudaMemcpyDeviceToHost));
    show("sums", h_sums);
    show("all", h_all);

    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_sums));
    CHECK(cudaFree(d_all));

    std::cout << (wrong == 0 ? "ok" : "wrong") << '\n';
    return wrong == 0 ? 0 : 1;
}
