// wrong.cu as a program. Build and run it:
//     nvcc -arch=native -o wrong_program wrong_program.cu && ./wrong_program
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <vector>

// Names that the program would have given its own functions, and an expectation that is wrong.
#define CHECK(x) (x)
__device__ int h_in(int x)
{
    return CHECK(x);
}

__global__ void show(const int *in, int *differing)
{
    differing[threadIdx.x] = h_in(in[threadIdx.x]);
}

// Ends the program where a call of the CUDA runtime fails.
#define CHECK_2(...)                                                                                  \
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
size_t differing_2(const char *name, const std::vector<T> &actual, const std::vector<T> &expected,
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
template <typename T> void show_2(const char *name, const std::vector<T> &elements)
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

    // buffer in    = i32:3,1,4
    const size_t n_in = 3;
    int *d_in;
    CHECK_2(cudaMalloc(&d_in, n_in * sizeof(int)));
    std::vector<int> h_in_2 = {3, 1, 4};
    CHECK_2(cudaMemcpy(d_in, h_in_2.data(), n_in * sizeof(int), cudaMemcpyHostToDevice));

    // buffer out.1 = i32:uninit*3
    const size_t n_out_1 = 3;
    int *d_out_1;
    CHECK_2(cudaMalloc(&d_out_1, n_out_1 * sizeof(int)));
    std::vector<int> h_out_1(n_out_1);

    // launch show<<<1, 3>>> @in @out.1
    show<<<1, 3>>>(d_in, d_out_1);
    CHECK_2(cudaGetLastError());
    CHECK_2(cudaDeviceSynchronize());

    // expect out.1 = i32:3,1,5
    CHECK_2(cudaMemcpy(h_out_1.data(), d_out_1, n_out_1 * sizeof(int), cudaMemcpyDeviceToHost));
    std::vector<int> expected_out_1 = {3, 1, 5};
    wrong += differing_2("out.1", h_out_1, expected_out_1, 0, n_out_1, 0.0);

    CHECK_2(cudaMemcpy(h_in_2.data(), d_in, n_in * sizeof(int), cudaMemcpyDeviceToHost));
    show_2("in", h_in_2);
    show_2("out.1", h_out_1);

    CHECK_2(cudaFree(d_in));
    CHECK_2(cudaFree(d_out_1));

    std::cout << (wrong == 0 ? "ok" : "wrong") << '\n';
    return wrong == 0 ? 0 : 1;
}
