// same.cu as a program. Build and run it:
//     nvcc -arch=native -o same_program same_program.cu && ./same_program
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <vector>

// Two kernels that are to give the same, one element of which differs.
__global__ void twice(const float *in, float *out)
{
    out[threadIdx.x] = 2 * in[threadIdx.x];
}

__global__ void added(const float *in, float *out)
{
    out[threadIdx.x] = in[threadIdx.x] + (threadIdx.x == 5 ? 1 : in[threadIdx.x]);
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

    // buffer in = f32 2x3:iota
    const size_t n_in = 6;
    float *d_in;
    CHECK(cudaMalloc(&d_in, n_in * sizeof(float)));
    std::vector<float> h_in(n_in);
    for (size_t i = 0; i < n_in; ++i)
        h_in[i] = i;
    CHECK(cudaMemcpy(d_in, h_in.data(), n_in * sizeof(float), cudaMemcpyHostToDevice));

    // buffer a  = f32 2x3
    const size_t n_a = 6;
    float *d_a;
    CHECK(cudaMalloc(&d_a, n_a * sizeof(float)));
    std::vector<float> h_a(n_a);

    // buffer b  = f32 2x3
    const size_t n_b = 6;
    float *d_b;
    CHECK(cudaMalloc(&d_b, n_b * sizeof(float)));
    std::vector<float> h_b(n_b);

    // launch twice<<<1, 6>>> @in @a
    twice<<<1, 6>>>(d_in, d_a);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    // launch added<<<1, 6>>> @in @b
    added<<<1, 6>>>(d_in, d_b);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    // expect b = @a within 10
    CHECK(cudaMemcpy(h_b.data(), d_b, n_b * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(h_a.data(), d_a, n_a * sizeof(float), cudaMemcpyDeviceToHost));
    wrong += differing("b", h_b, h_a, 0, n_b, 10.0);

    // expect b = @a
    wrong += differing("b", h_b, h_a, 0, n_b, 0.0);

    CHECK(cudaMemcpy(h_in.data(), d_in, n_in * sizeof(float), cudaMemcpyDeviceToHost));
    show("in", h_in);
    show("a", h_a);
    show("b", h_b);

    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));

    std::cout << (wrong == 0 ? "ok" : "wrong") << '\n';
    return wrong == 0 ? 0 : 1;
}
