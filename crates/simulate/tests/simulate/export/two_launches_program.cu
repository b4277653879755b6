// two_launches.cu as a program. Build and run it:
//     nvcc -arch=native -DUNUSED=1 -o two_launches_program two_launches_program.cu && ./two_launches_program
#include <cmath>
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

    // argument 0: buf:f32:0.5*100
    const size_t n_arg0 = 100;
    float *d_arg0;
    CHECK(cudaMalloc(&d_arg0, n_arg0 * sizeof(float)));
    std::vector<float> h_arg0(n_arg0, 0.5f);
    CHECK(cudaMemcpy(d_arg0, h_arg0.data(), n_arg0 * sizeof(float), cudaMemcpyHostToDevice));

    // argument 1: buf:f32:uninit*2
    const size_t n_arg1 = 2;
    float *d_arg1;
    CHECK(cudaMalloc(&d_arg1, n_arg1 * sizeof(float)));
    std::vector<float> h_arg1(n_arg1);

    blockSums<<<2, 64>>>(d_arg0, d_arg1, 100);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    CHECK(cudaMemcpy(h_arg1.data(), d_arg1, n_arg1 * sizeof(float), cudaMemcpyDeviceToHost));
    std::vector<float> expected_arg1 = {32.0f, 18.0f};
    wrong += differing("argument 1", h_arg1, expected_arg1, 0, n_arg1, 0.0);

    CHECK(cudaMemcpy(h_arg0.data(), d_arg0, n_arg0 * sizeof(float), cudaMemcpyDeviceToHost));
    show("argument 0", h_arg0);
    show("argument 1", h_arg1);

    CHECK(cudaFree(d_arg0));
    CHECK(cudaFree(d_arg1));

    std::cout << (wrong == 0 ? "ok" : "wrong") << '\n';
    return wrong == 0 ? 0 : 1;
}
